import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect } from "effect"
import { measuresIn } from "../../contract/records/measures.ts"
import { inSample } from "../../sql/sample.ts"
import type { Progress } from "../../sql/Stride.ts"
import type { Book, Scope, Span } from "../../sums/Book.ts"
import { stepsOf, sumsIn } from "../../sums/store/sumsIn.ts"
import { outcomeMeasures } from "../../sums/Sums.ts"
import { outcomeSql } from "./matchConditions.ts"
import { requestDays } from "./RequestDays.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"

/** Of rarer rows, a sample is not looked for among the ids of all: they are found by their index, or one by one. */
const mostTried = 5

/** A scope of rows, which have an index by conversation. */
export interface RowScope extends Scope {
  /** One of the owner's. */
  readonly conversation?: string | undefined
}

/** Finds and reads the rows of `requests` by the time when they began. */
export const requestRowsIn = (sql: SqlClient.SqlClient) => {
  const { idsWithin } = requestIds(sql)
  const inSlices = requestSlices(sql)

  const conditionsOf = ({ fromMs, toMs }: Span, { key, where = [], whereRows = [] }: RowScope) => [
    sql`at >= ${fromMs}`,
    sql`at < ${toMs}`,
    ...(key === undefined ? [] : [sql`key_id = ${key}`]),
    ...where,
    ...whereRows
  ]

  /** Reads the rows in strides: `read` gets the condition that they meet, and tells its `Progress`. */
  const inStrides = <E>(
    span: Span,
    scope: RowScope,
    read: (within: Fragment) => Effect.Effect<Progress, E>
  ): Effect.Effect<void, E | SqlError> =>
    Effect.flatMap(idsWithin(span), (ids) => {
      if (ids === undefined) return Effect.void
      const { conversation, owner } = scope
      const conditions = conditionsOf(span, scope)
      const whose = owner === undefined ? undefined : { account: owner, conversation }
      return inSlices({ ...ids, whose }, (within) => read(sql.and([within, ...conditions])))
    })

  /**
   * Reads an evenly spaced sample of the rows in strides: all of them, if there are no more than `most`.
   *
   * @param number how many rows there are, if it is known; otherwise as many as ids
   * @returns how many rows each of the sample stands for; 0 if there are none
   */
  const inSampleOf = <E>(
    span: Span,
    scope: RowScope,
    { most, number }: { readonly most: number; readonly number?: number | undefined },
    read: (within: Fragment, every: number) => Effect.Effect<Progress, E>
  ): Effect.Effect<number, E | SqlError> =>
    Effect.gen(function* () {
      const ids = number === 0 ? undefined : yield* idsWithin(span)
      if (ids === undefined) return 0
      const count = ids.until - ids.from
      const every = Math.max(1, Math.ceil((number ?? count) / most))
      if (every > 1 && count / every <= mostTried * most) {
        const { owner } = scope
        const conditions = [...(owner === undefined ? [] : [sql`account_id = ${owner}`]), ...conditionsOf(span, scope)]
        yield* inSample(sql)(ids, every, (within) => read(sql.and([within, ...conditions]), every))
      } else {
        const isTaken = sql`(id + id / ${every}) % ${every} = 0`
        const whereRows = [...(scope.whereRows ?? []), isTaken]
        yield* inStrides(span, { ...scope, whereRows }, (within) => read(within, every))
      }
      return every
    })

  return { idsWithin, inStrides, inSampleOf } as const
}

/** `modelOf`, as a column of a query. */
export const modelSql = `CASE WHEN upstream = '' AND details NOT LIKE '%"task":%' THEN '' ELSE model END`

/** The use that a row has of its answer. */
export const tokens = measuresIn("requests")
const is = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`

/** The measures of `requests`, with their SQL. */
export const requestValues = [
  ["requests", "1"],
  ["errors", is("status >= 400 OR error <> ''")],
  ["refused", is(outcomeSql.refused)],
  ["hang_ups", is(outcomeSql.hang_up)],
  ...tokens.map((name) => [name, name] as const)
] as const

const columns = ["account_id", "key_id", "model", "upstream"] as const

/**
 * Finished requests, by the time when they began, with the tokens of those that created no task. The sums outlive the rows.
 *
 * @param conversation the only one
 */
export const requestBook = (sql: SqlClient.SqlClient, conversation?: string): Book => {
  const { inStrides } = requestRowsIn(sql)
  return {
    wholes: [
      requestDays(sql, [...outcomeMeasures, ...tokens]),
      { table: "request_hours", unit: "hour", measures: [...outcomeMeasures, ...tokens], columns, isMixed: true }
    ],
    ready: Effect.void,
    rows: ({ by = [], measures, scope, span, stepMs }, add) => {
      const [first, second] = by.map((column) => (column === "model" ? modelSql : column))
      const read = sumsIn(sql, {
        table: "requests",
        step: stepsOf(sql, stepMs),
        by: [first, second],
        measures: requestValues.filter(([name]) => measures.includes(name))
      })
      return inStrides(span, { ...scope, conversation }, (within) => read(within, add))
    }
  }
}
