import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Video orders of the sandbox, on Postgres; with SQLite they are in a file of their own. */
export const sandboxOrders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE sandbox_orders (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL,
    content TEXT NOT NULL,
    ends_at BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX sandbox_orders_task_id ON sandbox_orders (task_id)`
  yield* sql`CREATE INDEX sandbox_orders_ends_at ON sandbox_orders (ends_at)`
})
