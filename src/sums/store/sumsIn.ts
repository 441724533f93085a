import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import type { Progress } from "../../sql/Stride.ts"
import type { Add } from "../Book.ts"
import { sumFields } from "../Sums.ts"
import type { Measure } from "../Sums.ts"

interface Statement {
  readonly table: string
  /** SQL of a text that has a row's step, and the step's begin in Unix ms; a single step if absent. */
  readonly step: { readonly of: Fragment; readonly beginOf: (step: string) => number } | undefined
  /** SQL of the dimensions. */
  readonly by: readonly [first: string | undefined, second: string | undefined]
  /** Measures with the SQL of their values in a row. */
  readonly measures: ReadonlyArray<readonly [name: Measure, of: string]>
}

const groups = rows("sums", { step: Schema.String, name: Schema.String, second: Schema.String })

/** SQL of the sums of some values, 0 without rows; on Postgres as 64-bit integers. */
export const sumsSql = (measures: Statement["measures"]): string =>
  measures.map(([name, of]) => `CAST(COALESCE(SUM(${of}), 0) AS BIGINT) AS ${name}`).join(", ")

/** Steps of rows with a time `at`. */
export const stepsOf = (sql: SqlClient.SqlClient, stepMs: number | undefined): Statement["step"] =>
  stepMs === undefined ? undefined : { of: sql`CAST(at / ${stepMs} AS TEXT)`, beginOf: (step) => Number(step) * stepMs }

/** Makes a function that sums the rows that meet a condition, in one statement, and tells its `Progress`. */
export const sumsIn = (sql: SqlClient.SqlClient, { by: [first, second], measures, step, table }: Statement) => {
  const sums = rows(table, Object.fromEntries(measures.map(([name]) => [name, sumFields[name]])))
  const names = sql.literal(`${first ?? "''"} AS name, ${second ?? "''"} AS second`)
  const values = sql.literal(sumsSql(measures))
  // Constants are left out: each would make the groups of a statement dearer.
  const grouped = [step, first, second].flatMap((one, at) => (one === undefined ? [] : [at + 1]))
  const grouping = sql.literal(grouped.length === 0 ? "HAVING COUNT(*) > 0" : `GROUP BY ${grouped.join(", ")}`)
  return (within: Fragment, add: Add): Effect.Effect<Progress, SqlError> =>
    Effect.map(
      sql`SELECT ${step?.of ?? sql.literal("''")} AS step, ${names}, ${values} FROM ${sql.literal(table)} WHERE ${within} ${grouping}`,
      (found) => {
        let isEnough = false
        for (const row of found) {
          const { name, second, step: place } = groups.one(row)
          isEnough = add({ atMs: step?.beginOf(place) ?? 0, name, second }, sums.one(row)) || isEnough
        }
        return isEnough || found.length
      }
    )
}
