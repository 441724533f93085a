import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Stored responses. `response`, `input`, `output` and `include` are JSON: `response` is the object without its output,
 * `output` also contains what only a replay may see. Items are found by their ids, which contain their response's.
 * Times are Unix ms.
 */
export const responses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE responses (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    previous_id TEXT,
    status TEXT NOT NULL,
    response TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    include TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX responses_expires_at ON responses (expires_at)`
})
