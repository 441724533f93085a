import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Hourly sums that comparisons of groups need. Cached tokens are computed from `usage`, which is never deleted; hours in
 * which a node of an older version still served lack those of its requests. Attempts are counted from now on: an hour of
 * before has none. A row's attempts are those at its upstream, which need not be the one that answered.
 */
export const overviewSums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const column of ["cache_read_tokens", "cache_write_tokens"]) {
    yield* sql`ALTER TABLE usage_hours ADD COLUMN ${sql(column)} BIGINT NOT NULL DEFAULT 0`
  }
  for (const column of ["attempts", "failed_attempts", "hidden_failures"]) {
    yield* sql`ALTER TABLE request_hours ADD COLUMN ${sql(column)} BIGINT NOT NULL DEFAULT 0`
  }
  yield* sql`UPDATE usage_hours SET cache_read_tokens = cached.reads, cache_write_tokens = cached.writes
    FROM (SELECT at - at % 3600000 AS hour, account_id, key_id, model, upstream,
        CAST(SUM(cache_read_tokens) AS BIGINT) AS reads, CAST(SUM(cache_write_tokens) AS BIGINT) AS writes
      FROM usage WHERE ${sql.literal(sound)} AND (cache_read_tokens > 0 OR cache_write_tokens > 0)
      GROUP BY 1, 2, 3, 4, 5) AS cached
    WHERE cached.hour = usage_hours.hour AND cached.account_id = usage_hours.account_id
      AND cached.key_id = usage_hours.key_id AND cached.model = usage_hours.model
      AND cached.upstream = usage_hours.upstream`
})

/** The columns to sum, as far as rows of version 0.1.0 are valid. */
const sound = ["cache_read_tokens", "cache_write_tokens"]
  .map((column) => `${column} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND CAST(${column} AS BIGINT) = ${column}`)
  .join(" AND ")
