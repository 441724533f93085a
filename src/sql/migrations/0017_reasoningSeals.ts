import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Signed reasoning of tool calls in chat completions, one row per answer. */
export const reasoningSeals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE reasoning_seals (
    account_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    details TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, call_id)
  )`
  yield* sql`CREATE INDEX reasoning_seals_account_id ON reasoning_seals (account_id, expires_at)`
  yield* sql`CREATE INDEX reasoning_seals_expires_at ON reasoning_seals (expires_at)`
})
