import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect } from "effect"
import { measuresIn } from "../../contract/records/measures.ts"
import type { Book, Scope, Span } from "../../sums/Book.ts"
import { stepsOf, sumsIn } from "../../sums/store/sumsIn.ts"
import { outcomeMeasures } from "../../sums/Sums.ts"
import { outcomeSql } from "./matchConditions.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"

/** A scope of rows, which have an index by conversation. */
export interface RowScope extends Scope {
  /** One of the owner's. */
  readonly conversation?: string | undefined
}

/** Finds and reads the rows of `requests` by the time when they began. */
export const requestRowsIn = (sql: SqlClient.SqlClient) => {
  const { idsWithin } = requestIds(sql)
  const inSlices = requestSlices(sql)

  /** Reads the rows in strides: `read` gets the condition that they meet, and returns true if no more are needed. */
  const inStrides = <E>(
    span: Span,
    { conversation, key, owner, where = [], whereRows = [] }: RowScope,
    read: (within: Fragment) => Effect.Effect<boolean | void, E>
  ): Effect.Effect<void, E | SqlError> =>
    Effect.flatMap(idsWithin(span), (ids) => {
      if (ids === undefined) return Effect.void
      const isThen = [sql`at >= ${span.fromMs}`, sql`at < ${span.toMs}`]
      const conditions = [...(key === undefined ? [] : [sql`key_id = ${key}`]), ...where, ...whereRows]
      const whose = owner === undefined ? undefined : { account: owner, conversation }
      return inSlices({ ...ids, whose }, (within) => read(sql.and([within, ...isThen, ...conditions])))
    })

  return { idsWithin, inStrides } as const
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
    whole: {
      table: "request_hours",
      unit: "hour",
      measures: [...outcomeMeasures, ...tokens],
      columns,
      isMixed: true,
      ready: Effect.void
    },
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
