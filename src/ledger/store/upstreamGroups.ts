import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { InvalidRequest } from "../../contract/Failure.ts"
import { rows } from "../../sql/decode.ts"
import type { Dimension } from "../usageBy.ts"
import { keyNames } from "./keyNames.ts"
import { settledSums } from "./settledSums.ts"
import { addSums } from "./sums.ts"
import type { Grouping, UsageGroup, UsagePage, UsageQuery } from "./usageGroup.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

const dayMs = 86_400_000
/** Rows per statement: other work gets a turn after each. */
const stride = 5_000
/** More groups would take too much memory. */
const mostGroups = 100_000

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

  const namesOf = keyNames(sql)

  return Effect.fnUntraced(function* (
    { account, key, keys, model, sinceMs, untilMs }: UsageQuery,
    { first, second }: Grouping,
    { limit, offset }: UsagePage
  ): Effect.fn.Return<ReadonlyArray<UsageGroup>, InvalidRequest> {
    const found = new Map<string, UsageGroup>()
    const span = { fromMs: Math.floor(sinceMs / dayMs) * dayMs, toMs: (Math.floor(untilMs / dayMs) + 1) * dayMs }
    const where = [
      ...ofKeys(sql, keys),
      ...(key === undefined ? [] : [sql`key_id = ${key}`]),
      ...(model === undefined ? [] : [sql`model = ${model}`])
    ]
    const [one, other] = [columns[first], second === undefined ? "''" : columns[second]]
    yield* Effect.orDie(
      inStretches({ ...span, owner: account, where }, stride, (within) =>
        found.size > mostGroups
          ? Effect.void
          : Effect.map(
              sql`SELECT ${sql.literal(one)} AS "group", ${sql.literal(other)} AS second, ${sql.literal(sums)}
                FROM usage WHERE ${within} GROUP BY 1, 2`,
              (some) => {
                for (const row of groups.all(some)) {
                  const id = JSON.stringify([row.group, row.second])
                  const before = found.get(id)
                  found.set(id, { ...row, ...addSums(row, before), name: null })
                }
              }
            )
      )
    )
    if (found.size > mostGroups) {
      return yield* new InvalidRequest({
        param: "by",
        message: `by: more than ${mostGroups} groups; ask for a shorter span, or for fewer dimensions`
      })
    }
    const shown = (dimension: Dimension | undefined, value: string | null) =>
      dimension === "day" ? new Date(Number(value) * dayMs).toISOString().slice(0, 10) : value
    const page = [...found.values()]
      .map((row) => ({
        ...row,
        group: shown(first, row.group) ?? "",
        second: second === undefined ? null : shown(second, row.second)
      }))
      .toSorted(inOrder(first))
      .slice(offset, offset + limit)
    const keyOf = (row: UsageGroup) => (first === "key" ? row.group : second === "key" ? row.second : null)
    const known = yield* Effect.orDie(namesOf([...new Set(page.flatMap((row) => keyOf(row) ?? []))]))
    return page.map((row) => ({ ...row, name: known.get(keyOf(row) ?? "") ?? null }))
  })
}

/** Days newest first, then the dearest first. */
const inOrder = (first: Dimension) => (one: UsageGroup, other: UsageGroup) =>
  (first === "day" ? compare(other.group, one.group) : 0) ||
  other.costNanoUsd - one.costNanoUsd ||
  other.requests - one.requests ||
  compare(one.group, other.group) ||
  compare(one.second ?? "", other.second ?? "")

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const sum = (of: string) => `CAST(SUM(${of}) AS BIGINT)`
const sums = [
  `COUNT(*) AS requests`,
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
