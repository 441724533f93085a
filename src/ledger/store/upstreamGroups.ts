import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import type { InvalidRequest } from "../../contract/Failure.ts"
import { rows } from "../../sql/decode.ts"
import type { Dimension } from "../usageBy.ts"
import { settledSums } from "./settledSums.ts"
import type { Grouping, UsageQuery } from "./usageGroup.ts"
import { servedSql } from "./usageRows.ts"
import { UsageGroups } from "./UsageGroups.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

const dayMs = 86_400_000

/** SQL expressions of the dimensions; a day is its number since 1970. */
const columns: Readonly<Record<Dimension, string>> = {
  account: "account_id",
  key: "key_id",
  model: "model",
  upstream: "upstream",
  day: `CAST(at / ${dayMs} AS TEXT)`
}

/**
 * Groups by upstream, and by one more dimension, added up from the usage rows: the sums of days do not know upstreams,
 * those of hours not all counts.
 */
export const upstreamGroups = (sql: SqlClient.SqlClient) => {
  const { inStretches } = settledSums(sql)

  return Effect.fnUntraced(function* (
    { account, key, keys, model, sinceMs, untilMs }: UsageQuery,
    { first, second }: Grouping
  ): Effect.fn.Return<UsageGroups, InvalidRequest | SqlError> {
    const found = new UsageGroups()
    const span = { fromMs: Math.floor(sinceMs / dayMs) * dayMs, toMs: (Math.floor(untilMs / dayMs) + 1) * dayMs }
    const where = [
      ...ofKeys(sql, keys),
      ...(key === undefined ? [] : [sql`key_id = ${key}`]),
      ...(model === undefined ? [] : [sql`model = ${model}`])
    ]
    const [one, other] = [columns[first], second === undefined ? "NULL" : columns[second]]
    yield* inStretches({ ...span, owner: account, where }, (within) =>
      Effect.flatMap(
        sql`SELECT ${sql.literal(one)} AS "group", ${sql.literal(other)} AS second, ${sql.literal(sums)}
          FROM usage WHERE ${within} GROUP BY 1, 2`,
        (some) =>
          found.add(
            groups.all(some).map((row) => ({
              ...row,
              group: shown(first, row.group),
              second: second === undefined || row.second === null ? null : shown(second, row.second),
              name: null
            }))
          )
      )
    )
    return found
  })
}

const shown = (dimension: Dimension, value: string): string =>
  dimension === "day" ? new Date(Number(value) * dayMs).toISOString().slice(0, 10) : value

const sum = (of: string) => `CAST(SUM(${of}) AS BIGINT)`
const sums = [
  `CAST(SUM(CASE WHEN ${servedSql} THEN 1 ELSE 0 END) AS BIGINT) AS requests`,
  `${sum("input_tokens")} AS "inputTokens"`,
  `${sum("cache_read_tokens")} AS "cacheReadTokens"`,
  `${sum("cache_write_tokens")} AS "cacheWriteTokens"`,
  `${sum("output_tokens")} AS "outputTokens"`,
  `${sum("reasoning_tokens")} AS "reasoningTokens"`,
  `${sum("searches")} AS searches`,
  `${sum("video_frames")} AS "videoFrames"`,
  `${sum("cost_nano_usd")} AS "costNanoUsd"`,
  `${sum("COALESCE(upstream_cost_nano_usd, cost_nano_usd)")} AS "upstreamCostNanoUsd"`,
  `${sum("above_hold_nano_usd")} AS "aboveHoldNanoUsd"`
].join(", ")

const groups = rows("usage", {
  group: Schema.String,
  second: Schema.NullOr(Schema.String),
  requests: Schema.Int,
  inputTokens: Schema.Int,
  cacheReadTokens: Schema.Int,
  cacheWriteTokens: Schema.Int,
  outputTokens: Schema.Int,
  reasoningTokens: Schema.Int,
  searches: Schema.Int,
  videoFrames: Schema.Int,
  costNanoUsd: Schema.Int,
  upstreamCostNanoUsd: Schema.Int,
  aboveHoldNanoUsd: Schema.Int
})
