import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The `x-request-id` of the request that created a task; null if an older gateway stored it and its money names none. */
export const taskRequests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tasks ADD COLUMN request_id TEXT`
  yield* sql`UPDATE tasks SET request_id = (SELECT request_id FROM holds WHERE holds.id = tasks.id)`
  yield* sql`UPDATE tasks SET request_id = paid.request_id
    FROM (SELECT task_id, MAX(request_id) AS request_id FROM usage WHERE task_id IS NOT NULL GROUP BY task_id) AS paid
    WHERE paid.task_id = tasks.id AND tasks.request_id IS NULL`
})
