import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Conversations of messages, one row per turn. The index allows an answer to be continued once. */
export const threads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE thread_turns (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL,
    previous_id TEXT,
    setup TEXT NOT NULL,
    messages TEXT NOT NULL,
    content TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
  )`
  yield* sql`CREATE UNIQUE INDEX thread_turns_previous_id ON thread_turns (account_id, previous_id)`
  yield* sql`CREATE INDEX thread_turns_expires_at ON thread_turns (expires_at)`
})
