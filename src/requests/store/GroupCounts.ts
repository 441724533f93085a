import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { usageBooks } from "../../ledger/store/usageBooks.ts"
import { allSummed } from "../../ledger/store/usageStatements.ts"
import { rows } from "../../sql/decode.ts"
import type { Scope } from "../../sums/Book.ts"
import { attemptMeasures, outcomeMeasures, settledMeasures } from "../../sums/Sums.ts"
import { mapSums, sumsOf } from "../../sums/sumsOf.ts"
import type { GroupSums } from "../../sums/sumsOf.ts"
import { attemptsIn, beginsWithAttempts } from "../attemptCounts.ts"
import type { StoredAttempt } from "../attemptCounts.ts"
import { attemptBook } from "./attemptBook.ts"
import { matchingWhose } from "./matchConditions.ts"
import { patterns } from "./patterns.ts"
import { modelSql, requestBook, requestRowsIn } from "./requestBook.ts"
import { columnOf } from "./RequestSums.ts"
import type { By } from "./RequestSums.ts"
import { taskCalls } from "./taskCalls.ts"
import type { StoredCall } from "./taskCalls.ts"

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
  /** When the question came (`Query`). */
  readonly nowMs?: number | undefined
  /** In ms; a single step if absent. */
  readonly stepMs?: number | undefined
}

export interface GroupBy {
  readonly first: By
  readonly second?: By | undefined
}

/** Counts requests (by their start) and money (by its settlement) of groups, exactly for a span. */
export class GroupCounts extends Effect.Service<GroupCounts>()("gateway/requests/store/GroupCounts", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { inSampleOf } = requestRowsIn(sql)
    const [settled, counted, attempted] = [usageBooks(sql, allSummed(sql)).hours, requestBook(sql), attemptBook(sql)]
    const calls = taskCalls(sql)

    /** Conditions on `usage`, `usage_hours` and `request_hours`. */
    const whereOf = ({ model, ...filter }: GroupFilter) => [
      ...matchingWhose(sql, filter),
      ...(model === undefined ? [] : [patterns(sql).column("model", model)])
    ]

    const ofUsage = (filter: GroupFilter): Scope => ({
      owner: filter.owner,
      columns: filter.upstream === undefined ? [] : ["upstream"],
      where: whereOf(filter)
    })

    /** The same of `requests`, whose models may be names that callers made up. */
    const ofRows = (filter: GroupFilter): Scope => ({
      ...ofUsage(filter),
      whereRows: [
        sql`family <> 'account'`,
        ...(filter.model === undefined ? [] : [sql`${sql.literal(modelSql)} <> ''`])
      ]
    })

    const queryOf = ({ fromMs, nowMs, stepMs, toMs, ...filter }: GroupQuery, by: GroupBy | undefined) => ({
      span: { fromMs, toMs },
      nowMs,
      stepMs,
      scope: ofUsage(filter),
      by: by && ([columnOf[by.first], by.second === undefined ? undefined : columnOf[by.second]] as const)
    })

    const requests = (query: GroupQuery, by: GroupBy, see: (sums: Counted) => void) =>
      mapSums(sql, counted, { ...queryOf(query, by), scope: ofRows(query), measures: outcomeMeasures }, see)

    /** @param by one group of all if absent */
    const money = (query: GroupQuery, by: GroupBy | undefined, see: (sums: Settled) => void) =>
      mapSums(sql, settled, { ...queryOf(query, by), measures: settledMeasures }, see)

    /** Attempts by upstream. */
    const attempts = (query: GroupQuery) =>
      sumsOf(sql, attempted, {
        ...queryOf(query, { first: "upstream" }),
        scope: ofRows(query),
        measures: attemptMeasures
      })

    /** Calls a function with attempts of a span, evenly spaced if there are more requests than `most`. */
    const eachAttempt = (
      query: GroupQuery,
      { most, requests }: { readonly most: number; readonly requests: number },
      see: (attempt: StoredAttempt) => void
    ): Effect.Effect<void, SqlError> => {
      const ofTasks = Effect.map(calls.each(query, whereOf(query)), (found) =>
        found.forEach((call) => see(attemptOf(call)))
      )
      const ofRequests = inSampleOf(query, ofRows(query), { most, number: requests }, (within) =>
        Effect.map(
          sql`SELECT details FROM requests WHERE ${within} AND details LIKE ${`${beginsWithAttempts}%`}`,
          (found) => {
            described
              .all(found)
              .flatMap(({ details }) => attemptsIn(details))
              .forEach(see)
            return found.length
          }
        )
      )
      return Effect.zipRight(ofTasks, ofRequests)
    }

    return { requests, attempts, eachAttempt, money, ofUsage, ofRows } as const
  })
}) {}

type Counted = GroupSums<(typeof outcomeMeasures)[number]>
type Settled = GroupSums<(typeof settledMeasures)[number]>

const attemptOf = ({ duration_ms, outcome, status, upstream }: StoredCall): StoredAttempt => ({
  upstream,
  outcome,
  duration_ms,
  ...(status === null ? {} : { status })
})

const described = rows("requests", { details: Schema.String })
