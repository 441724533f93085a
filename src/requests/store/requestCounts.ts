import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { usageBooks } from "../../ledger/store/usageBooks.ts"
import { allSummed } from "../../ledger/store/usageStatements.ts"
import { rows } from "../../sql/decode.ts"
import type { Span } from "../../sums/Book.ts"
import { addSums, noSums, outcomeMeasures } from "../../sums/Sums.ts"
import type { Sums } from "../../sums/Sums.ts"
import { sumsOf } from "../../sums/sumsOf.ts"
import { matchConditions, matchingRows, matchingWhose, ownerOf } from "./matchConditions.ts"
import type { RequestFilter } from "./matchConditions.ts"
import { patterns } from "./patterns.ts"
import { requestBook } from "./requestBook.ts"

export interface Buckets extends Span {
  /** Buckets begin at multiples of it. */
  readonly widthMs: number
  /** When the question came (`Query`). */
  readonly nowMs?: number | undefined
}

/**
 * Counts requests by their start, exactly, and amounts by their settlement. Whole hours of accounts that were deleted later
 * still count.
 *
 * @returns the sums by the start of each bucket, in Unix ms
 */
export const requestCounts = (sql: SqlClient.SqlClient) => {
  const settled = usageBooks(sql, allSummed(sql)).hours
  const oldest = Effect.map(sql`SELECT at FROM requests ORDER BY id LIMIT 1`, times.first)

  return Effect.fnUntraced(function* (
    { nowMs, widthMs: stepMs, ...span }: Buckets,
    filter: RequestFilter
  ): Effect.fn.Return<ReadonlyMap<number, Sums>, SqlError> {
    const owner = ownerOf(filter)
    // Only from the oldest row on: sums outlive the rows.
    const first = hoursKnow(filter) ? yield* oldest : undefined
    const counted = yield* sumsOf(sql, requestBook(sql, filter.conversation), {
      span,
      nowMs,
      stepMs,
      measures: outcomeMeasures,
      scope: {
        owner,
        where: matchingWhose(sql, filter),
        whereRows: matchingRows(sql, { ...filter, sinceMs: span.fromMs }),
        wholeFromMs: first?.at ?? Infinity
      }
    })
    // Usage rows know only account, key, model and upstream; other filters need the request's row.
    const { model, ...others } = filter
    const like = model === undefined ? [] : [patterns(sql).column("model", model)]
    const has = sql.and([sql`requests.request_id = usage.request_id`, ...matchConditions(sql, others)])
    const paid = yield* sumsOf(sql, settled, {
      span,
      nowMs,
      stepMs,
      measures: ["cost_nano_usd", "upstream_cost_nano_usd"],
      scope: {
        owner,
        columns: others.upstream === undefined ? [] : ["upstream"],
        where: [...matchingWhose(sql, others), ...like],
        ...(hoursKnow(others)
          ? {}
          : { whereRows: [sql`EXISTS (SELECT 1 FROM requests WHERE ${has})`], wholeFromMs: Infinity })
      }
    })
    const counts = new Map<number, Sums>()
    for (const { atMs, name: _name, second: _second, ...sums } of [...counted, ...paid]) {
      counts.set(atMs, addSums(counts.get(atMs) ?? noSums(), sums))
    }
    return counts
  })
}

/** True if the sums of hours can answer the filter. They lack models of requests that reached no upstream. */
const hoursKnow = ({
  account: _account,
  key: _key,
  keys: _keys,
  owner: _owner,
  upstream: _upstream,
  ...others
}: RequestFilter): boolean => Object.values(others).every((value) => value === undefined)

const times = rows("requests", { at: Schema.Int })
