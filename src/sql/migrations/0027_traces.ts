import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** `traceparent` of the request that made a task, for all that goes on in its trace; null where nobody records it. */
export const traces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tasks ADD COLUMN trace TEXT`
  yield* sql`ALTER TABLE deliveries ADD COLUMN trace TEXT`
})
