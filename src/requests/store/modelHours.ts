import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"

const hourMs = 3_600_000
/** Hours per statement, so that other statements can run in between. */
const strideHours = 24

/** Requests and tokens of each model, by whole hours. Requests that create tasks have no tokens here. */
export const modelHours = Effect.fnUntraced(function* (
  fromMs: number,
  toMs: number
): Effect.fn.Return<ReadonlyArray<ModelSum>, SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const found: Array<ModelSum> = []
  for (let at = fromMs - (fromMs % hourMs); at < toMs; at += strideHours * hourMs) {
    const end = Math.min(toMs, at + strideHours * hourMs)
    const some = yield* sql`SELECT model, ${sql.literal(summed)} FROM request_hours
      WHERE hour >= ${at} AND hour < ${end} GROUP BY model`
    found.push(...sums.all(some))
    yield* Effect.promise(nextTurn)
  }
  return found
})

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
