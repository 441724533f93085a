import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { AccountId, Budget, KeyId } from "../contract/Caller.ts"
import { dayOf } from "./Book.ts"

/** What groups of requests used, and cost in nano-dollars. */
export interface UsageSums {
  readonly requests: number
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly searches: number
  readonly videoFrames: number
  readonly costNanoUsd: number
}

/** One key's, model's or day's share. */
export interface UsageGroup extends UsageSums {
  /** A key's id, a model or a UTC day. */
  readonly group: string
  /** Of a key. */
  readonly name: string | null
}

/** One settled request, as it was charged. */
export interface UsageEntry extends Omit<UsageSums, "requests"> {
  readonly id: number
  readonly atMs: number
  readonly requestId: string
  readonly account: string
  readonly key: string
  readonly model: string
  readonly upstream: string
  readonly outcome: string
  readonly estimated: boolean
  /** JSON of `Price.text`. */
  readonly price: string
}

export interface UsageQuery {
  /** Absent: of all accounts. */
  readonly account?: AccountId | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly sinceMs: number
  readonly untilMs: number
}

export interface UsagePage {
  readonly offset: number
  readonly limit: number
}

const columns = { key: "key_id", model: "model", day: "day" } as const
export type UsageBy = keyof typeof columns

/** Reads what was used. Groups count whole UTC days: those in which the span begins and ends, and all between. */
export class UsageReport extends Effect.Service<UsageReport>()("gateway/ledger/UsageReport", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const within = (query: UsageQuery) =>
      sql.and([
        sql`day >= ${dayOf(query.sinceMs)}`,
        sql`day <= ${dayOf(query.untilMs)}`,
        ...(query.account === undefined ? [] : [sql`account_id = ${query.account}`]),
        ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
        ...(query.model === undefined ? [] : [sql`model = ${query.model}`])
      ])

    const sums = sql.literal(
      `COALESCE(SUM(requests), 0) AS requests, COALESCE(SUM(input_tokens), 0) AS "inputTokens",
       COALESCE(SUM(cache_read_tokens), 0) AS "cacheReadTokens", COALESCE(SUM(cache_write_tokens), 0) AS "cacheWriteTokens",
       COALESCE(SUM(output_tokens), 0) AS "outputTokens", COALESCE(SUM(reasoning_tokens), 0) AS "reasoningTokens",
       COALESCE(SUM(searches), 0) AS searches, COALESCE(SUM(video_frames), 0) AS "videoFrames",
       COALESCE(SUM(cost_nano_usd), 0) AS "costNanoUsd"`
    )

    const totals = (query: UsageQuery): Effect.Effect<UsageSums> =>
      sql<UsageSums>`SELECT ${sums} FROM usage_days WHERE ${within(query)}`.pipe(
        Effect.map(([row]) => row ?? none),
        Effect.orDie
      )

    /** The groups of a page: days newest first, keys and models dearest first. One more than the limit tells of a next page. */
    const groups = (
      query: UsageQuery,
      by: UsageBy,
      { limit, offset }: UsagePage
    ): Effect.Effect<ReadonlyArray<UsageGroup>> => {
      const column = sql(columns[by])
      const order =
        by === "day" ? sql`ORDER BY ${column} DESC` : sql`ORDER BY "costNanoUsd" DESC, requests DESC, ${column}`
      const name = by === "key" ? sql`(SELECT name FROM keys WHERE id = key_id)` : sql`NULL`
      return sql<UsageGroup>`SELECT ${column} AS "group", ${name} AS name, ${sums} FROM usage_days
        WHERE ${within(query)} GROUP BY ${column} ${order} LIMIT ${limit} OFFSET ${offset}`.pipe(Effect.orDie)
    }

    /** Settled requests, newest first, of the exact span; `after` is the last entry of the page before. */
    const entries = (
      query: UsageQuery,
      { after, limit }: { readonly after: Pick<UsageEntry, "atMs" | "id"> | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UsageEntry>> =>
      sql<Omit<UsageEntry, "estimated"> & { readonly estimated: number }>`
        SELECT id, at AS "atMs", request_id AS "requestId", account_id AS account, key_id AS key, model, upstream, outcome,
          estimated, input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens",
          cache_write_tokens AS "cacheWriteTokens", output_tokens AS "outputTokens",
          reasoning_tokens AS "reasoningTokens", searches, video_frames AS "videoFrames", price,
          cost_nano_usd AS "costNanoUsd"
        FROM usage WHERE ${sql.and([
          sql`at >= ${query.sinceMs}`,
          sql`at <= ${query.untilMs}`,
          ...(query.account === undefined ? [] : [sql`account_id = ${query.account}`]),
          ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
          ...(query.model === undefined ? [] : [sql`model = ${query.model}`]),
          ...(after === undefined
            ? []
            : [isOneAccount(query) ? sql`(at, id) < (${after.atMs}, ${after.id})` : sql`id < ${after.id}`])
        ])} ORDER BY ${isOneAccount(query) ? sql`at DESC, id DESC` : sql`id DESC`} LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row) => ({ ...row, estimated: row.estimated === 1 }))),
        Effect.orDie
      )

    /** What a key has spent in the UTC day or month that is running, in nano-dollars. */
    const spent = (key: KeyId, period: Budget["period"]): Effect.Effect<number> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const today = dayOf(nowMs)
        const first = period === "day" ? today : `${today.slice(0, 8)}01`
        return sql<{ nanoUsd: number }>`SELECT COALESCE(SUM(nano_usd), 0) AS "nanoUsd" FROM key_spending
          WHERE key_id = ${key} AND day >= ${first}`
      }).pipe(
        Effect.map(([row]) => row?.nanoUsd ?? 0),
        Effect.orDie
      )

    /** What the account's requests to a model used on average in the last week; undefined where there were none. */
    const usual = (account: AccountId, model: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        totals({ account, model, sinceMs: nowMs - 7 * 86_400_000, untilMs: nowMs })
      ).pipe(
        Effect.map(({ outputTokens, requests, searches }) =>
          requests === 0 ? undefined : { outputTokens: outputTokens / requests, searches: searches / requests }
        )
      )

    return { totals, groups, entries, spent, usual } as const
  })
}) {}

/** An account's rows are indexed by time; over all accounts they are read in the order they were written. */
const isOneAccount = (query: UsageQuery) => query.account !== undefined

const none: UsageSums = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  searches: 0,
  videoFrames: 0,
  costNanoUsd: 0
}
