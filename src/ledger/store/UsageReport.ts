import { SqlClient } from "@effect/sql"
import { Clock, Effect, Schema } from "effect"
import type { AccountId } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { sumOf } from "../../sql/sumOf.ts"
import type { InvalidRequest } from "../../contract/Failure.ts"
import { count, groupRows, sumRows, used } from "./usageGroup.ts"
import type { Grouping, UsageGroup, UsagePage, UsageQuery, UsageSums } from "./usageGroup.ts"
import { noSums } from "./sums.ts"
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

/** Reads usage. Groups count whole UTC days, including those in which the time span begins and ends. */
export class UsageReport extends Effect.Service<UsageReport>()("gateway/ledger/store/UsageReport", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const within = (query: UsageQuery) =>
      sql.and([
        sql`day >= ${dayOf(query.sinceMs)}`,
        sql`day <= ${dayOf(query.untilMs)}`,
        ...(query.account === undefined ? [] : [sql`account_id = ${query.account}`]),
        ...ofKeys(sql, query.keys),
        ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
        ...(query.model === undefined ? [] : [sql`model = ${query.model}`])
      ])

    const sums = sql.csv(
      Object.entries(sumsOf).map(([name, column]) => sql`${sumOf(sql, column)} AS ${sql.literal(`"${name}"`)}`)
    )

    const summed = allSummed(sql)
    const ofUpstreams = upstreamGroups(sql)

    const totals = (query: UsageQuery): Effect.Effect<UsageSums> =>
      Effect.zipRight(summed, sql`SELECT ${sums} FROM usage_days WHERE ${within(query)}`).pipe(
        Effect.map((found) => sumRows.first(found) ?? noSums),
        Effect.orDie
      )

    /**
     * The groups of a page: days newest first, others by cost, highest first. One more than the limit indicates a next
     * page.
     */
    const groups = (
      query: UsageQuery,
      by: Grouping,
      page: UsagePage
    ): Effect.Effect<ReadonlyArray<UsageGroup>, InvalidRequest> => {
      const { first, second } = by
      if (first === "upstream" || second === "upstream") return ofUpstreams(query, by, page)
      const others = second === undefined ? [] : [sql`${sql(columns[second])}`]
      const named = sql.csv([sql`${sql(columns[first])}`, ...others])
      const dearest = sql`"costNanoUsd" DESC, requests DESC, ${named}`
      const order = first === "day" ? sql`day DESC, ${dearest}` : dearest
      const name = first === "key" || second === "key" ? sql`(SELECT name FROM keys WHERE id = key_id)` : sql`NULL`
      return Effect.zipRight(
        summed,
        sql`SELECT ${sql(columns[first])} AS "group", ${second === undefined ? sql`NULL` : sql(columns[second])} AS second,
          ${name} AS name, ${sums} FROM usage_days
        WHERE ${within(query)} GROUP BY ${named} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`
      ).pipe(Effect.map(groupRows.all), Effect.orDie)
    }

    /** Settled requests of the exact time span, newest first; `after` is the last entry of the page before. */
    const entries = (
      query: UsageQuery,
      { after, limit }: { readonly after: Pick<UsageEntry, "atMs" | "id"> | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UsageEntry>> =>
      sql`SELECT id, at AS "atMs", request_id AS "requestId", account_id AS account, key_id AS key,
          (SELECT person_id FROM keys WHERE keys.id = usage.key_id) AS person, model, upstream, outcome,
          estimated, input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens",
          cache_write_tokens AS "cacheWriteTokens", output_tokens AS "outputTokens",
          reasoning_tokens AS "reasoningTokens", searches, video_frames AS "videoFrames", price,
          cost_nano_usd AS "costNanoUsd",
          COALESCE(upstream_cost_nano_usd, cost_nano_usd) AS "upstreamCostNanoUsd",
          above_hold_nano_usd AS "aboveHoldNanoUsd", cache_write_1h_tokens AS "cacheWriteHourTokens"
        FROM usage WHERE ${sql.and([
          sql`at >= ${query.sinceMs}`,
          sql`at <= ${query.untilMs}`,
          ...(query.account === undefined ? [] : [sql`account_id = ${query.account}`]),
          ...ofKeys(sql, query.keys),
          ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
          ...(query.model === undefined ? [] : [sql`model = ${query.model}`]),
          ...(after === undefined
            ? []
            : [isOneAccount(query) ? sql`(at, id) < (${after.atMs}, ${after.id})` : sql`id < ${after.id}`])
        ])} ORDER BY ${isOneAccount(query) ? sql`at DESC, id DESC` : sql`id DESC`} LIMIT ${limit}`.pipe(
        Effect.map(entryRows.all),
        Effect.orDie
      )

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

/** An account's rows are indexed by time; across all accounts they are read in the order they were written. */
const isOneAccount = (query: UsageQuery) => query.account !== undefined
