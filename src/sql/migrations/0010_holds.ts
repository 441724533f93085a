import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Holds of tasks that have not ended, which also count them. `id` is the task's; `price` is `Price.text`, in
 * nano-dollars.
 */
export const holds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The old table is still unused.
  yield* sql`DROP TABLE holds`
  yield* sql`CREATE TABLE holds (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    price TEXT NOT NULL,
    nano_usd BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX holds_account ON holds (account_id)`
  yield* sql`CREATE INDEX holds_key ON holds (key_id)`
})
