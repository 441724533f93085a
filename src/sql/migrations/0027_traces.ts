import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** `traceparent` of the request that created a task, for the spans of its turns; null if it is not traced. */
export const traces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tasks ADD COLUMN trace TEXT`
  yield* sql`ALTER TABLE deliveries ADD COLUMN trace TEXT`
})
