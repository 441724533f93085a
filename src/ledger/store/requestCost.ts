import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Record, Schema } from "effect"
import { countsBy, measuresIn, noColumns } from "../../contract/records/measures.ts"
import { rows } from "../../sql/decode.ts"
import type { Span } from "../../sums/Book.ts"
import { costRecord } from "../CostRecord.ts"
import type { CostRecord } from "../CostRecord.ts"
import { explain } from "../explain.ts"
import { serviceRow } from "./serviceRow.ts"
import { servedSql } from "./usageRows.ts"

const settled = rows("usage", {
  ...Record.map(noColumns.usage, () => Schema.Number),
  price: Schema.String,
  cost_nano_usd: Schema.Int,
  estimated: Schema.Boolean,
  calls: serviceRow.calls,
  cost_lines: Schema.NullOr(Schema.String)
})
const columns = [...measuresIn("usage"), "price", "cost_nano_usd", "estimated", "calls", "cost_lines"].join(", ")

/**
 * How the cost of a request came about; undefined if it has no settled usage. Rows of usage are found by account and time.
 *
 * @param span the time in which it was settled
 */
export const requestCost =
  (sql: SqlClient.SqlClient) =>
  (account: string, requestId: string, span: Span): Effect.Effect<CostRecord | undefined, SqlError> =>
    Effect.map(
      sql`SELECT ${sql.literal(columns)} FROM usage WHERE account_id = ${account} AND at >= ${span.fromMs}
        AND at < ${span.toMs} AND request_id = ${requestId} AND ${sql.literal(servedSql)} ORDER BY id DESC LIMIT 1`,
      (found) => {
        const row = settled.first(found)
        if (row === undefined) return undefined
        const { calls, cost_lines: costLines, cost_nano_usd: costNanoUsd, estimated, price } = row
        const explanation = explain({ used: countsBy((measure) => row[measure]), calls, price, costLines })
        return explanation && costRecord(explanation, { costNanoUsd, estimated })
      }
    )
