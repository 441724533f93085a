import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Sessions of the console, and the links that begin one (`kind` link). `hash` is that of the session's token,
 * `opened_with` that of the key that opened it. Times are Unix ms.
 */
export const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    opened_with TEXT NOT NULL,
    account_id TEXT,
    key_id TEXT,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`
  // Active tasks by their last change, for live views.
  yield* sql`CREATE INDEX tasks_watched ON tasks (updated_at) WHERE ended_at IS NULL`
})
