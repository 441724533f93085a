import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Cache-write tokens with a lifetime of an hour, which have their own price. */
export const hourCaches = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE usage ADD COLUMN cache_write_1h_tokens BIGINT NOT NULL DEFAULT 0`
})
