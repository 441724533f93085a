import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** How many of an hour's calls were cancelled because another route answered first. Older nodes count none. */
export const outpacedCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE request_hours ADD COLUMN outpaced_attempts BIGINT NOT NULL DEFAULT 0`
})
