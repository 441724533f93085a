import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The webhook address of an account. Its deliveries have an `event` (`video.completed`); those to a task's own callback
 * address have none, and each event of a task is a sequence of its own.
 */
export const accountWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN webhook_url TEXT`
  yield* sql`ALTER TABLE deliveries ADD COLUMN event TEXT NOT NULL DEFAULT ''`
  yield* sql`DROP INDEX deliveries_task`
  yield* sql`CREATE UNIQUE INDEX deliveries_task ON deliveries (task_id, event, sequence)`
})
