import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Of the input tokens that a request has written into a cache, how many are kept for an hour: they have their own price. */
export const hourCaches = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE usage ADD COLUMN cache_write_1h_tokens BIGINT NOT NULL DEFAULT 0`
})
