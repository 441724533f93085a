import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { hourSlices } from "../../ledger/store/hourSlices.ts"
import { rows } from "../../sql/decode.ts"

const hourMs = 3_600_000

/** Requests and tokens of each model, by whole hours. Requests that create tasks have no tokens here. */
export const modelHours = (
  sql: SqlClient.SqlClient,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  add: (sum: ModelSum) => void
): Effect.Effect<void, SqlError> =>
  hourSlices(sql, "request_hours")({ fromMs: fromMs - (fromMs % hourMs), toMs }, (within) =>
    Effect.map(sql`SELECT model, ${sql.literal(summed)} FROM request_hours WHERE ${within} GROUP BY model`, (some) =>
      sums.all(some).forEach(add)
    )
  )

const counts = {
  requests: Schema.Int,
  errors: Schema.Int,
  input_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int
}
const summed = Object.keys(counts)
  .map((column) => `CAST(SUM(${column}) AS BIGINT) AS ${column}`)
  .join(", ")
const sums = rows("request_hours", { model: Schema.String, ...counts })
export type ModelSum = ReturnType<typeof sums.one>
