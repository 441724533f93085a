import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import type { AccountId } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { sumOf } from "../../sql/sumOf.ts"
import type { InvalidRequest } from "../../contract/Failure.ts"
import { firstRows } from "../../sql/slices.ts"
import type { Sliced } from "../../sql/slices.ts"
import { daySlices } from "./daySlices.ts"
import { keyNames } from "./keyNames.ts"
import { settledSums } from "./settledSums.ts"
import { count, groupRows, sumRows, used } from "./usageGroup.ts"
import type { Grouping, UsageGroup, UsagePage, UsageQuery, UsageSums } from "./usageGroup.ts"
import { UsageGroups } from "./UsageGroups.ts"
import { addSums, noSums } from "./sums.ts"
import { upstreamGroups } from "./upstreamGroups.ts"
import { dayOf } from "./usageRows.ts"
import { allSummed } from "./usageStatements.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

const entryRows = rows("usage", {
  id: Schema.Int,
  atMs: Schema.Int,
  requestId: Schema.String,
  account: Schema.String,
  key: Schema.String,
  person: Schema.NullOr(Schema.String),
  model: Schema.String,
  upstream: Schema.String,
  outcome: Schema.String,
  estimated: Schema.Boolean,
  ...used,
  cacheWriteHourTokens: count,
  price: Schema.String
})

/** One settled request, as charged, at the price in `Price.text`. */
export type UsageEntry = ReturnType<typeof entryRows.one>

/** The sums, by the columns of `usage_days`. */
const sumsOf = {
  requests: "requests",
  inputTokens: "input_tokens",
  cacheReadTokens: "cache_read_tokens",
  cacheWriteTokens: "cache_write_tokens",
  outputTokens: "output_tokens",
  reasoningTokens: "reasoning_tokens",
  searches: "searches",
  videoFrames: "video_frames",
  costNanoUsd: "cost_nano_usd",
  upstreamCostNanoUsd: "upstream_cost_nano_usd",
  aboveHoldNanoUsd: "above_hold_nano_usd"
} satisfies Record<keyof UsageSums, string>

const columns = { account: "account_id", key: "key_id", model: "model", day: "day" } as const
type Column = keyof typeof columns
interface DayGrouping {
  readonly first: Column
  readonly second: Column | undefined
}

/** Reads usage. Groups count whole UTC days, including those in which the time span begins and ends. */
export class UsageReport extends Effect.Service<UsageReport>()("gateway/ledger/store/UsageReport", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const inDays = daySlices(sql)
    const namesOf = keyNames(sql)
    const sums = sql.csv(
      Object.entries(sumsOf).map(([name, column]) => sql`${sumOf(sql, column)} AS ${sql.literal(`"${name}"`)}`)
    )

    const summed = allSummed(sql)
    const ofUpstreams = upstreamGroups(sql)
    const { idsWithin } = settledSums(sql)

    const daysOf = ({ sinceMs, untilMs, ...query }: UsageQuery) => ({
      ...query,
      from: dayOf(sinceMs),
      until: dayOf(untilMs)
    })

    const totals = (query: UsageQuery): Effect.Effect<UsageSums> =>
      Effect.gen(function* () {
        let all = noSums
        yield* summed
        yield* inDays(daysOf(query), (within) =>
          Effect.map(sql`SELECT ${sums} FROM usage_days WHERE ${within}`, (found) => {
            all = addSums(all, sumRows.first(found))
          })
        )
        return all
      }).pipe(Effect.orDie)

    const ofDays = Effect.fnUntraced(function* (
      query: UsageQuery,
      { first, second }: DayGrouping
    ): Effect.fn.Return<UsageGroups, InvalidRequest | SqlError> {
      const found = new UsageGroups()
      const other = second === undefined ? sql`NULL` : sql(columns[second])
      yield* summed
      yield* inDays(daysOf(query), (within) =>
        Effect.flatMap(
          sql`SELECT ${sql(columns[first])} AS "group", ${other} AS second, NULL AS name, ${sums} FROM usage_days
            WHERE ${within} GROUP BY 1, 2`,
          (some) => found.add(groupRows.all(some))
        )
      )
      return found
    })

    /**
     * The groups of a page, and the sums of all: days newest first, others by cost, highest first. One more than the
     * limit indicates a next page.
     */
    const groups = Effect.fnUntraced(
      function* (
        query: UsageQuery,
        by: Grouping,
        { limit, offset }: UsagePage
      ): Effect.fn.Return<
        { readonly groups: ReadonlyArray<UsageGroup>; readonly totals: UsageSums },
        InvalidRequest | SqlError
      > {
        const { first, second } = by
        const isOfDays = first !== "upstream" && second !== "upstream"
        const found = isOfDays ? yield* ofDays(query, { first, second }) : yield* ofUpstreams(query, by)
        const page = (yield* found.sorted(first)).slice(offset, offset + limit)
        const keyOf = (row: UsageGroup) => (first === "key" ? row.group : second === "key" ? row.second : null)
        const known = yield* namesOf([...new Set(page.flatMap((row) => keyOf(row) ?? []))])
        return {
          groups: page.map((row) => ({ ...row, name: known.get(keyOf(row) ?? "") ?? null })),
          // The days' sums count what was settled before there were rows of it.
          totals: isOfDays ? found.totals : yield* totals(query)
        }
      },
      Effect.catchTag("SqlError", Effect.die)
    )

    /** Settled requests of the exact time span, newest first; `after` is the last entry of the page before. */
    const entries = (
      query: UsageQuery,
      { after, limit }: { readonly after: Pick<UsageEntry, "atMs" | "id"> | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UsageEntry>> =>
      Effect.gen(function* () {
        const conditions = [
          sql`at >= ${query.sinceMs}`,
          sql`at <= ${query.untilMs}`,
          ...ofKeys(sql, query.keys),
          ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
          ...(query.model === undefined ? [] : [sql`model = ${query.model}`])
        ]
        const place = yield* placeOf(query, after)
        return yield* firstRows(sql)({ table: "usage", isDescending: true, ...place }, limit, (within, left) =>
          Effect.map(
            sql`SELECT id, at AS "atMs", request_id AS "requestId", account_id AS account, key_id AS key,
                (SELECT person_id FROM keys WHERE keys.id = usage.key_id) AS person, model, upstream, outcome,
                estimated, input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens",
                cache_write_tokens AS "cacheWriteTokens", output_tokens AS "outputTokens",
                reasoning_tokens AS "reasoningTokens", searches, video_frames AS "videoFrames", price,
                cost_nano_usd AS "costNanoUsd",
                COALESCE(upstream_cost_nano_usd, cost_nano_usd) AS "upstreamCostNanoUsd",
                above_hold_nano_usd AS "aboveHoldNanoUsd", cache_write_1h_tokens AS "cacheWriteHourTokens"
              FROM usage WHERE ${sql.and([within, ...conditions])}
              ORDER BY ${query.account === undefined ? sql`id DESC` : sql`at DESC, id DESC`} LIMIT ${left}`,
            entryRows.all
          )
        )
      }).pipe(Effect.orDie)

    /** An account's rows are indexed by time; across all accounts they are read in the order they were written. */
    const placeOf = Effect.fnUntraced(function* (
      { account, sinceMs, untilMs }: UsageQuery,
      after: Pick<UsageEntry, "atMs" | "id"> | undefined
    ): Effect.fn.Return<Omit<Sliced, "table">, SqlError> {
      if (account !== undefined) {
        return {
          whose: sql`account_id = ${account}`,
          key: { at: Schema.Int, id: Schema.Int },
          begins: after === undefined ? sql`at <= ${untilMs}` : sql`(at, id) < (${after.atMs}, ${after.id})`,
          ends: sql`at >= ${sinceMs}`
        }
      }
      const ids = yield* idsWithin({ fromMs: sinceMs, toMs: untilMs + 1 })
      return {
        key: { id: Schema.Int },
        begins: sql`id < ${Math.min(ids?.until ?? 0, after?.id ?? Infinity)}`,
        ends: sql`id >= ${ids?.first ?? 0}`
      }
    })

    /** The average usage of the account's requests to a model in the last week; undefined if there were none. */
    const usual = (account: AccountId, model: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        totals({ account, model, sinceMs: nowMs - 7 * 86_400_000, untilMs: nowMs })
      ).pipe(
        Effect.map(({ outputTokens, requests, searches }) =>
          requests === 0 ? undefined : { outputTokens: outputTokens / requests, searches: searches / requests }
        )
      )

    return { totals, groups, entries, usual } as const
  })
}) {}
