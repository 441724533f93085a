import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Answers stored for an `Idempotency-Key`, as the bytes that were sent. `body_hash` is the SHA-256 of the request's
 * body.
 */
export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE kept_answers (
    id INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    answer BLOB NOT NULL,
    at BIGINT NOT NULL
  )`
  yield* sql`CREATE UNIQUE INDEX kept_answers_key ON kept_answers (account_id, endpoint, idempotency_key)`
  yield* sql`CREATE INDEX kept_answers_at ON kept_answers (at)`
})
