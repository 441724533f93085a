import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { countedSql } from "./counted.ts"
import { settledSums } from "../../ledger/store/settledSums.ts"
import { hourSlices } from "../../ledger/store/hourSlices.ts"
import { wholeHours } from "../../ledger/store/wholeHours.ts"
import type { SettledSteps } from "../../ledger/store/settledSums.ts"
import { matching, matchingWhose, ownerOf, whoseOf } from "./matching.ts"
import type { RequestFilter } from "./matching.ts"
import { patterns } from "./patterns.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"

const hourMs = 3_600_000

/** Numbers of requests by outcome. `errors`: all that did not finish. */
export interface Counted {
  readonly requests: number
  readonly errors: number
  readonly refused: number
  readonly hang_ups: number
}

/** Numbers of requests with their settled amounts. */
export interface Tallied extends Counted {
  readonly cost_nano_usd: number
  readonly upstream_cost_nano_usd: number
}

export interface Buckets {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  /** Buckets begin at multiples of it. */
  readonly widthMs: number
}

/**
 * Counts requests by their start, exactly, and amounts by their settlement. Whole hours of accounts that were deleted later
 * still count.
 */
export const requestCounts = (sql: SqlClient.SqlClient) => {
  const { idsWithin } = requestIds(sql)
  const inSlices = requestSlices(sql)
  const settled = settledSums(sql)
  const inHours = hourSlices(sql, "request_hours")
  const oldest = Effect.map(sql`SELECT at FROM requests ORDER BY id LIMIT 1`, times.first)

  /** @param add called with the bucket's start in Unix ms */
  const byRows = Effect.fnUntraced(function* (
    { fromMs, toMs, widthMs }: Buckets,
    filter: RequestFilter,
    add: Add
  ): Effect.fn.Return<void, SqlError> {
    const ids = yield* idsWithin({ fromMs, toMs })
    if (ids === undefined) return
    const conditions = matching(sql, { ...filter, sinceMs: fromMs })
    yield* inSlices({ ...ids, whose: whoseOf(filter) }, (within) =>
      Effect.map(
        sql`SELECT at / ${widthMs} AS bucket, ${sql.literal(countedSql)} FROM requests
          WHERE ${sql.and([within, sql`at < ${toMs}`, ...conditions])} GROUP BY 1`,
        (found) => {
          for (const { bucket, ...counted } of buckets.all(found)) add(bucket * widthMs, counted)
        }
      )
    )
  })

  const byHours = ({ fromMs, toMs, widthMs }: Buckets, filter: RequestFilter, add: Add) =>
    inHours({ fromMs, toMs, owner: ownerOf(filter) }, (within) =>
      Effect.map(
        sql`SELECT hour / ${widthMs} AS bucket, ${sql.literal(summed)} FROM request_hours
          WHERE ${sql.and([within, ...matchingWhose(sql, filter)])} GROUP BY 1`,
        (found) => {
          for (const { bucket, ...counted } of buckets.all(found)) add(bucket * widthMs, counted)
        }
      )
    )

  /** Takes whole hours from the hourly sums if these support the filter, and the rest from the rows. */
  const counting = Effect.fnUntraced(function* (
    span: Buckets,
    filter: RequestFilter,
    add: Add
  ): Effect.fn.Return<void, SqlError> {
    const first = span.widthMs % hourMs === 0 && hoursSupport(filter) ? yield* oldest : undefined
    // Only from the oldest row on: sums outlive the rows.
    const { fromMs, toMs } = wholeHours({ ...span, fromMs: Math.max(span.fromMs, first?.at ?? Infinity) })
    if (fromMs >= toMs) return yield* byRows(span, filter, add)
    yield* byRows({ ...span, toMs: fromMs }, filter, add)
    yield* byHours({ ...span, fromMs, toMs }, filter, add)
    yield* byRows({ ...span, fromMs: toMs }, filter, add)
  })

  const paidByRows = ({ widthMs, ...times }: Buckets, who: RowFilter, add: Add) =>
    settled.steps({ ...times, ...who, firstMs: 0, stepMs: widthMs }, ({ step, ...sums }) => add(step * widthMs, sums))

  /** Usage rows know only account, key, model and upstream; other filters need the request row. */
  const paying = Effect.fnUntraced(function* (
    span: Buckets,
    { model, ...filter }: RequestFilter,
    add: Add
  ): Effect.fn.Return<void, SqlError> {
    const like = patterns(sql)
    const where = [...matchingWhose(sql, filter), ...(model === undefined ? [] : [like.column("model", model)])]
    const who = { where, owner: ownerOf(filter) }
    if (!hoursSupport(filter)) {
      const has = sql.and([sql`requests.request_id = usage.request_id`, ...matching(sql, filter)])
      return yield* paidByRows(span, { ...who, whereRow: sql`EXISTS (SELECT 1 FROM requests WHERE ${has})` }, add)
    }
    const { fromMs, toMs } = wholeHours(span)
    if (span.widthMs % hourMs !== 0 || fromMs >= toMs) return yield* paidByRows(span, who, add)
    yield* paidByRows({ ...span, toMs: fromMs }, who, add)
    yield* settled.hours({ fromMs, toMs, ...who }, ({ hour, ...sums }) =>
      add(Math.floor(hour / span.widthMs) * span.widthMs, sums)
    )
    yield* paidByRows({ ...span, fromMs: toMs }, who, add)
  })

  const count = Effect.fnUntraced(function* (
    span: Buckets,
    filter: RequestFilter
  ): Effect.fn.Return<ReadonlyMap<number, Tallied>, SqlError> {
    const counts = new Map<number, Tallied>()
    const add: Add = (bucketMs, more) => counts.set(bucketMs, plus(counts.get(bucketMs) ?? nothing, more))
    yield* counting(span, filter, add)
    yield* paying(span, filter, add)
    return counts
  })

  return count
}

type RowFilter = Pick<SettledSteps, "owner" | "where" | "whereRow">
type Add = (bucketMs: number, more: Partial<Tallied>) => void

/** True if the hourly sums can answer the filter. They lack models of requests that reached no upstream. */
const hoursSupport = ({
  account: _account,
  key: _key,
  keys: _keys,
  owner: _owner,
  upstream: _upstream,
  ...others
}: RequestFilter): boolean => Object.values(others).every((value) => value === undefined)

export const nothing: Tallied = {
  requests: 0,
  errors: 0,
  refused: 0,
  hang_ups: 0,
  cost_nano_usd: 0,
  upstream_cost_nano_usd: 0
}

export const plus = (one: Tallied, more: Partial<Tallied>): Tallied => ({
  requests: one.requests + (more.requests ?? 0),
  errors: one.errors + (more.errors ?? 0),
  refused: one.refused + (more.refused ?? 0),
  hang_ups: one.hang_ups + (more.hang_ups ?? 0),
  cost_nano_usd: one.cost_nano_usd + (more.cost_nano_usd ?? 0),
  upstream_cost_nano_usd: one.upstream_cost_nano_usd + (more.upstream_cost_nano_usd ?? 0)
})

const counts = {
  requests: Schema.Int,
  errors: Schema.Int,
  refused: Schema.Int,
  hang_ups: Schema.Int
}
const summed = Object.keys(counts)
  .map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(", ")
const buckets = rows("requests", { bucket: Schema.Int, ...counts })
const times = rows("requests", { at: Schema.Int })
