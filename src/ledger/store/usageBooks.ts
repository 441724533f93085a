import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { idsByTime } from "../../sql/idsByTime.ts"
import { inSample } from "../../sql/sample.ts"
import { slices } from "../../sql/slices.ts"
import type { Progress } from "../../sql/Stride.ts"
import type { Book, Column, Scope, Span, Whole } from "../../sums/Book.ts"
import { stepsOf, sumsIn } from "../../sums/store/sumsIn.ts"
import { settledMeasures, usedMeasures } from "../../sums/Sums.ts"
import { servedSql } from "./usageRows.ts"

/** A node that can't reach the database writes its rows later than others do. */
const lateMs = 600_000

/** Finds and reads the rows of `usage` by the time of settlement. */
export const usageRowsIn = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt } = idsByTime(sql, { table: "usage", time: "at", lateMs })

  /** The ids of the rows of a time span, and of some others. Undefined if there is none. */
  const idsWithin = Effect.fnUntraced(function* ({
    fromMs,
    toMs
  }: Span): Effect.fn.Return<{ readonly first: number; readonly until: number } | undefined, SqlError> {
    const all = fromMs < toMs ? yield* ends : undefined
    return all && { first: yield* firstAt(fromMs, all), until: yield* firstAt(toMs + 2 * lateMs, all) }
  })

  /** Reads the rows in strides: `read` gets the condition that they meet, and tells its `Progress`. */
  const inStrides = <E>(
    span: Span,
    { key, owner, where = [], whereRows = [] }: Scope,
    read: (within: Fragment) => Effect.Effect<Progress, E>
  ): Effect.Effect<void, E | SqlError> => {
    const [fromMs, toMs] = [Math.max(span.fromMs, 0), Math.min(span.toMs, Number.MAX_SAFE_INTEGER)]
    const [begins, ends] = [sql`at >= ${fromMs}`, sql`at < ${toMs}`]
    const conditions = [...(key === undefined ? [] : [sql`key_id = ${key}`]), ...where, ...whereRows]
    if (owner !== undefined) {
      const whose = sql`account_id = ${owner}`
      return slices(sql)({ table: "usage", whose, key: { at: Schema.Int }, begins, ends }, (within) =>
        read(sql.and([within, ...conditions]))
      )
    }
    return Effect.flatMap(idsWithin({ fromMs, toMs }), (ids) =>
      ids === undefined
        ? Effect.void
        : slices(sql)(
            {
              table: "usage",
              key: { id: Schema.Int },
              begins: sql`id >= ${ids.first}`,
              ends: sql`id < ${ids.until}`
            },
            (within) => read(sql.and([within, begins, ends, ...conditions]))
          )
    )
  }

  /**
   * Reads an evenly spaced sample of the rows in strides, `most` of all accounts at most.
   *
   * @returns how many rows each of the sample stands for; 0 if there are none
   */
  const inSampleOf = <E>(
    span: Span,
    scope: Scope,
    most: number,
    read: (within: Fragment, every: number) => Effect.Effect<Progress, E>
  ): Effect.Effect<number, E | SqlError> =>
    Effect.gen(function* () {
      const ids = yield* idsWithin(span)
      if (ids === undefined) return 0
      const every = Math.max(1, Math.ceil((ids.until - ids.first) / most))
      if (every === 1) {
        yield* inStrides(span, scope, (within) => read(within, every))
        return every
      }
      const { key, owner, where = [], whereRows = [] } = scope
      const conditions = [
        sql`at >= ${span.fromMs}`,
        sql`at < ${span.toMs}`,
        ...(owner === undefined ? [] : [sql`account_id = ${owner}`]),
        ...(key === undefined ? [] : [sql`key_id = ${key}`]),
        ...where,
        ...whereRows
      ]
      const range = { from: ids.first, until: ids.until }
      yield* inSample(sql)(range, every, (within) => read(sql.and([within, ...conditions]), every))
      return every
    })

  return { inStrides, inSampleOf, idsWithin } as const
}

/** SQL of a measure of a row. Rows of older gateways have no upstream's cost: it equals the charge. */
const valueOf = (name: (typeof usedMeasures)[number]): string =>
  name === "requests"
    ? `CASE WHEN ${servedSql} THEN 1 ELSE 0 END`
    : name === "upstream_cost_nano_usd"
      ? "COALESCE(upstream_cost_nano_usd, cost_nano_usd)"
      : name

/** SQL of a column of a row. Most rows have no tier. */
const columnSql = (column: Column | undefined): string | undefined =>
  column === "service_tier" ? "COALESCE(service_tier, '')" : column

/** The measures of `usage`, with their SQL. */
const values = usedMeasures.map((name) => [name, valueOf(name)] as const)

/** All of a row, as columns of a query. */
export const usedSql = values.map(([name, of]) => `${of} AS ${name}`).join(", ")

/**
 * Settled usage, by the time of settlement. Exact: sums are added up in the statement that writes the row, and rows are
 * never removed. Hours know upstreams; days have all measures, and count what was settled before there were rows of it.
 *
 * @param ready adds up rows that are not in the sums yet (`allSummed`)
 */
export const usageBooks = (
  sql: SqlClient.SqlClient,
  ready: Effect.Effect<void, SqlError>
): Readonly<Record<"hours" | "days", Book>> => {
  const { inStrides } = usageRowsIn(sql)
  const rows: Book["rows"] = ({ by, measures, scope = {}, span, stepMs }, add) => {
    const read = sumsIn(sql, {
      table: "usage",
      step: stepsOf(sql, stepMs),
      by: [columnSql(by?.[0]), columnSql(by?.[1])],
      measures: values.filter(([name]) => measures.includes(name))
    })
    return inStrides(span, scope, (within) => read(within, add))
  }
  const columns = ["account_id", "key_id", "model"] as const
  const days: Whole = { table: "usage_days", unit: "day", measures: usedMeasures, columns }
  const hours: Whole = {
    table: "usage_hours",
    unit: "hour",
    measures: settledMeasures,
    columns: [...columns, "upstream"]
  }
  return { hours: { rows, wholes: [days, hours], ready }, days: { rows, wholes: [days], ready } }
}
