import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { hourSlices } from "../../ledger/store/hourSlices.ts"
import { settledGroups } from "../../ledger/store/settledGroups.ts"
import { wholeHours } from "../../ledger/store/wholeHours.ts"
import { rows } from "../../sql/decode.ts"
import { attemptCounts, attemptsIn, beginsWithAttempts } from "../attemptCounts.ts"
import type { AttemptCounts, StoredAttempt } from "../attemptCounts.ts"
import { countedSql, modelSql } from "./counted.ts"
import { matchingWhose, ofAccount } from "./matching.ts"
import { patterns } from "./patterns.ts"
import { columnOf } from "./RequestSums.ts"
import type { By } from "./RequestSums.ts"
import { requestIds } from "./requestIds.ts"
import { taskCalls } from "./taskCalls.ts"
import type { StoredCall } from "./taskCalls.ts"
import { requestSlices } from "./requestSlices.ts"

/** A filter of the columns that requests, usage and their sums share. In texts `*` stands for any characters. */
export interface GroupFilter {
  /** The only account, by its exact id. */
  readonly owner?: string | undefined
  /** Only these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly account?: string | undefined
  /** A key's id or name. */
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
}

export interface GroupQuery extends GroupFilter {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

export interface GroupBy {
  readonly first: By
  readonly second: By | undefined
}

/**
 * Counts requests (by their start) and money (by its settlement) of groups, exactly for a span: whole hours from their
 * sums, the rest from the rows. A group may come several times.
 */
export class GroupCounts extends Effect.Service<GroupCounts>()("gateway/requests/store/GroupCounts", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { idsWithin } = requestIds(sql)
    const inSlices = requestSlices(sql)
    const groupsOfMoney = settledGroups(sql)
    const inHours = hourSlices(sql, "request_hours")
    const calls = taskCalls(sql)

    /** Conditions on `usage`, `usage_hours` and `request_hours`. */
    const whereOf = ({ model, ...filter }: GroupFilter) => [
      ...matchingWhose(sql, filter),
      ...(model === undefined ? [] : [patterns(sql).column("model", model)])
    ]

    /** The same on `requests`, whose models may be names that callers made up. */
    const whereRowOf = (filter: GroupFilter) => [
      ...whereOf(filter),
      ...(filter.model === undefined ? [] : [sql`${sql.literal(modelSql)} <> ''`])
    ]

    const columnsOf = ({ first, second }: GroupBy, isOfRows: boolean) => {
      const of = (by: By | undefined) =>
        by === undefined ? "''" : by === "model" && isOfRows ? modelSql : columnOf[by]
      return sql.literal(`${of(first)} AS name, ${of(second)} AS second`)
    }

    /** Calls a function with the id bounds of some rows of a span at once. */
    const inStretches = Effect.fnUntraced(function* (
      { fromMs, toMs, ...filter }: GroupQuery,
      read: (bounds: ReturnType<typeof sql.and>) => Effect.Effect<void, SqlError>
    ): Effect.fn.Return<void, SqlError> {
      const ids = yield* idsWithin({ fromMs, toMs })
      if (ids === undefined) return
      const isThen = [sql`at >= ${fromMs}`, sql`at < ${toMs}`]
      yield* inSlices({ ...ids, whose: ofAccount(filter.owner) }, (within) =>
        read(sql.and([within, ...isThen, sql`family <> 'account'`, ...whereRowOf(filter)]))
      )
    })

    const ofHours = (
      { fromMs, toMs, ...filter }: GroupQuery,
      read: (within: ReturnType<typeof sql.and>) => Effect.Effect<void, SqlError>
    ): Effect.Effect<void, SqlError> =>
      inHours({ fromMs, toMs, owner: filter.owner }, (within) => read(sql.and([within, ...whereOf(filter)])))

    /** Splits a span into its whole hours and the times around them. */
    const parts = (query: GroupQuery) => {
      const whole = wholeHours(query)
      return whole.fromMs >= whole.toMs
        ? { hours: { ...query, toMs: query.fromMs }, around: [query] }
        : {
            hours: { ...query, ...whole },
            around: [
              { ...query, toMs: whole.fromMs },
              { ...query, fromMs: whole.toMs }
            ]
          }
    }

    const requests = (
      query: GroupQuery,
      by: GroupBy,
      add: (group: CountedGroup) => void
    ): Effect.Effect<void, SqlError> => {
      const { around, hours } = parts(query)
      const addAll = (found: ReadonlyArray<unknown>) => groups.all(found).forEach(add)
      return Effect.zipRight(
        ofHours(hours, (within) =>
          Effect.map(
            sql`SELECT ${columnsOf(by, false)}, ${sql.literal(summed)} FROM request_hours
              WHERE ${within} AND requests > 0 GROUP BY 1, 2`,
            addAll
          )
        ),
        Effect.forEach(
          around,
          (part) =>
            inStretches(part, (within) =>
              Effect.map(
                sql`SELECT ${columnsOf(by, true)}, ${sql.literal(countedSql)} FROM requests WHERE ${within} GROUP BY 1, 2`,
                addAll
              )
            ),
          { discard: true }
        )
      )
    }

    /** Attempts by upstream. */
    const attempts = (
      query: GroupQuery,
      add: (upstream: string, counts: AttemptCounts) => void
    ): Effect.Effect<void, SqlError> => {
      const { around, hours } = parts(query)
      return Effect.zipRight(
        ofHours(hours, (within) =>
          Effect.map(
            sql`SELECT upstream, ${sql.literal(attempted)} FROM request_hours
              WHERE ${within} AND attempts > 0 GROUP BY upstream`,
            (found) => {
              for (const { upstream, ...counts } of attemptGroups.all(found)) add(upstream, counts)
            }
          )
        ),
        Effect.forEach(
          around,
          (part) =>
            Effect.zipRight(
              calls.counts(part, whereOf(part), add),
              inStretches(part, (within) =>
                Effect.map(
                  sql`SELECT upstream, status, error, details FROM requests
                  WHERE ${within} AND details LIKE ${`${beginsWithAttempts}%`}`,
                  (found) => {
                    for (const row of attemptRows.all(found)) {
                      for (const [upstream, counts] of attemptCounts(row)) add(upstream, counts)
                    }
                  }
                )
              )
            ),
          { discard: true }
        )
      )
    }

    /** Calls a function with attempts of a span, evenly spaced if there are more requests than `most`. */
    const eachAttempt = (
      query: GroupQuery,
      { most, requests }: { readonly most: number; readonly requests: number },
      see: (attempt: StoredAttempt) => void
    ): Effect.Effect<void, SqlError> => {
      const every = Math.max(1, Math.ceil(requests / most))
      const ofTasks = Effect.map(calls.each(query, whereOf(query)), (found) =>
        found.forEach((call) => see(attemptOf(call)))
      )
      const ofRequests = inStretches(query, (within) =>
        Effect.map(
          sql`SELECT upstream, status, error, details FROM requests
            WHERE ${within} AND id % ${every} = 0 AND details LIKE ${`${beginsWithAttempts}%`}`,
          (found) =>
            attemptRows
              .all(found)
              .flatMap(({ details }) => attemptsIn(details))
              .forEach(see)
        )
      )
      return Effect.zipRight(ofTasks, ofRequests)
    }

    const money = ({ owner, ...query }: GroupQuery, { first, second }: GroupBy, add: (group: PaidGroup) => void) =>
      groupsOfMoney(
        {
          fromMs: query.fromMs,
          toMs: query.toMs,
          owner,
          by: columnOf[first],
          second: second === undefined ? undefined : columnOf[second],
          where: whereOf(query)
        },
        add
      )

    return { requests, attempts, eachAttempt, money, whereOf, whereRowOf } as const
  })
}) {}

const attemptOf = ({ duration_ms, outcome, status, upstream }: StoredCall): StoredAttempt => ({
  upstream,
  outcome,
  duration_ms,
  ...(status === null ? {} : { status })
})

const sumOf = (columns: ReadonlyArray<string>) =>
  columns.map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`).join(", ")

const counts = { requests: Schema.Int, errors: Schema.Int, refused: Schema.Int, hang_ups: Schema.Int }
const summed = sumOf(Object.keys(counts))
const groups = rows("request_hours", { name: Schema.String, second: Schema.String, ...counts })
type CountedGroup = ReturnType<typeof groups.one>
type PaidGroup = Parameters<Parameters<ReturnType<typeof settledGroups>>[1]>[0]

const ofAttempts = {
  attempts: Schema.Int,
  failed_attempts: Schema.Int,
  hidden_failures: Schema.Int,
  outpaced_attempts: Schema.Int
}
const attempted = sumOf(Object.keys(ofAttempts))
const attemptGroups = rows("request_hours", { upstream: Schema.String, ...ofAttempts })
const attemptRows = rows("requests", {
  upstream: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  details: Schema.String
})
