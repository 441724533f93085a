import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { countedSql } from "./counted.ts"
import { matching, matchingWhose, ownerOf } from "./matching.ts"
import type { RequestFilter } from "./matching.ts"
import { requestIds } from "./requestIds.ts"
import { Stride, stretches } from "./stretches.ts"

const hourMs = 3_600_000

/** How many requests ended how, and what they cost. `errors` are all that did not go well, of any kind. */
export interface Counted {
  readonly requests: number
  readonly errors: number
  readonly refused: number
  readonly hang_ups: number
  readonly cost_nano_usd: number
}

export interface Buckets {
  readonly fromMs: number
  /** That moment not. */
  readonly toMs: number
  /** The first bucket begins at a multiple of it. */
  readonly widthMs: number
}

/** Counts requests by when they came, exactly. Whole hours of an account that was deleted since are still counted. */
export const requestCounts = (sql: SqlClient.SqlClient) => {
  const { begunBy, ends, overAt } = requestIds(sql)
  const { after: stretchAfter } = stretches(sql)
  const oldest = Effect.map(sql`SELECT at FROM requests ORDER BY id LIMIT 1`, times.first)

  /** @param add gets the bucket's beginning in Unix ms */
  const byRows = Effect.fnUntraced(function* (
    { fromMs, toMs, widthMs }: Buckets,
    filter: RequestFilter,
    add: Add
  ): Effect.fn.Return<void, SqlError> {
    const all = fromMs < toMs ? yield* ends : undefined
    if (all === undefined) return
    const conditions = matching(sql, { ...filter, sinceMs: fromMs })
    const until = yield* begunBy(toMs, all)
    const stride = new Stride()
    const owner = ownerOf(filter)
    for (let at = yield* overAt(fromMs, all); at < until;) {
      const next = yield* stretchAfter(at, until, stride.rows, owner)
      const found = yield* stride.timed(
        sql`SELECT at / ${widthMs} AS bucket, ${sql.literal(countedSql)} FROM requests
            WHERE ${sql.and([sql`id >= ${at}`, sql`id < ${next}`, sql`at < ${toMs}`, ...conditions])}
            GROUP BY 1`
      )
      for (const { bucket, ...counted } of buckets.all(found)) add(bucket * widthMs, counted)
      at = next
    }
  })

  const byHours = Effect.fnUntraced(function* ({ fromMs, toMs, widthMs }: Buckets, filter: RequestFilter, add: Add) {
    const conditions = matchingWhose(sql, filter)
    const found = yield* sql`SELECT hour / ${widthMs} AS bucket, ${sql.literal(summed)} FROM request_hours
          WHERE ${sql.and([sql`hour >= ${fromMs}`, sql`hour < ${toMs}`, ...conditions])} GROUP BY 1`
    for (const { bucket, ...counted } of buckets.all(found)) add(bucket * widthMs, counted)
  })

  /** Whole hours come from their sums where those know what is asked for, the rest from the rows. */
  const count = Effect.fnUntraced(function* (
    asked: Buckets,
    filter: RequestFilter
  ): Effect.fn.Return<ReadonlyMap<number, Counted>, SqlError> {
    const counts = new Map<number, Counted>()
    const add: Add = (bucketMs, counted) => counts.set(bucketMs, plus(counts.get(bucketMs) ?? nothing, counted))
    const first = asked.widthMs % hourMs === 0 && hoursKnow(filter) ? yield* oldest : undefined
    // Sums stay when the rows are gone.
    const fromMs = Math.ceil(Math.max(asked.fromMs, first?.at ?? Infinity) / hourMs) * hourMs
    const toMs = Math.floor(asked.toMs / hourMs) * hourMs
    if (fromMs >= toMs) {
      yield* byRows(asked, filter, add)
      return counts
    }
    yield* byRows({ ...asked, toMs: fromMs }, filter, add)
    yield* byHours({ ...asked, fromMs, toMs }, filter, add)
    yield* byRows({ ...asked, fromMs: toMs }, filter, add)
    return counts
  })

  return count
}

type Add = (bucketMs: number, counted: Counted) => void

/** Models are not among them: sums have those alone that an upstream was asked for. */
const hoursKnow = ({
  account: _account,
  key: _key,
  owner: _owner,
  upstream: _upstream,
  ...others
}: RequestFilter): boolean => Object.values(others).every((value) => value === undefined)

export const nothing: Counted = { requests: 0, errors: 0, refused: 0, hang_ups: 0, cost_nano_usd: 0 }

export const plus = (one: Counted, other: Counted): Counted => ({
  requests: one.requests + other.requests,
  errors: one.errors + other.errors,
  refused: one.refused + other.refused,
  hang_ups: one.hang_ups + other.hang_ups,
  cost_nano_usd: one.cost_nano_usd + other.cost_nano_usd
})

const counts = {
  requests: Schema.Int,
  errors: Schema.Int,
  refused: Schema.Int,
  hang_ups: Schema.Int,
  cost_nano_usd: Schema.Int
}
const summed = Object.keys(counts)
  .map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(", ")
const buckets = rows("requests", { bucket: Schema.Int, ...counts })
const times = rows("requests", { at: Schema.Int })
