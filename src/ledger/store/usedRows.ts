import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Record, Schema } from "effect"
import { countsBy, noColumns } from "../../contract/records/measures.ts"
import type { Counts } from "../../contract/records/measures.ts"
import { rows } from "../../sql/decode.ts"
import type { Scope, Span } from "../../sums/Book.ts"
import { usageRowsIn } from "./usageBooks.ts"
import { servedSql } from "./usageRows.ts"

/** Reads the settled requests of a span one by one. Stops after `most` rows and returns false if there are more. */
export const usedRows = (sql: SqlClient.SqlClient) => {
  const { inStrides } = usageRowsIn(sql)
  return (span: Span, scope: Scope, most: number, see: (row: UsedRow) => void): Effect.Effect<boolean, SqlError> =>
    Effect.suspend(() => {
      let count = 0
      const reading = inStrides(span, scope, (within) =>
        Effect.map(
          sql`SELECT ${sql.literal(names)} FROM usage
            WHERE ${within} AND ${sql.literal(servedSql)}`,
          (found) => {
            count += found.length
            for (const row of used.all(found)) {
              see({ model: row.model, costNanoUsd: row.cost_nano_usd, used: countsBy((measure) => row[measure]) })
            }
            return count > most
          }
        )
      )
      return Effect.map(reading, () => count <= most)
    })
}

const columns = { model: Schema.String, ...Record.map(noColumns.usage, () => Schema.Int), cost_nano_usd: Schema.Int }
const names = Object.keys(columns).join(", ")
const used = rows("usage", columns)

interface UsedRow {
  readonly model: string
  readonly used: Counts
  readonly costNanoUsd: number
}
