import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { settledSums } from "./settledSums.ts"
import type { SettledQuery } from "./settledSums.ts"
import { servedSql } from "./usageRows.ts"

/** Reads the settled requests of a span one by one. Stops after `most` rows and returns false if there are more. */
export const usedRows = (sql: SqlClient.SqlClient) => {
  const { inStretches } = settledSums(sql)
  return Effect.fnUntraced(function* (
    query: SettledQuery,
    most: number,
    see: (row: UsedRow) => void
  ): Effect.fn.Return<boolean, SqlError> {
    let count = 0
    yield* inStretches(query, (within) =>
      count > most
        ? Effect.void
        : Effect.map(
            sql`SELECT model, input_tokens AS "inputTokens", cache_read_tokens AS "cacheReadTokens",
              cache_write_tokens AS "cacheWriteTokens", cache_write_1h_tokens AS "cacheWriteHourTokens",
              output_tokens AS "outputTokens", reasoning_tokens AS "reasoningTokens", searches,
              video_frames AS "videoFrames", cost_nano_usd AS "costNanoUsd" FROM usage
              WHERE ${within} AND ${sql.literal(servedSql)}`,
            (found) => {
              count += found.length
              for (const row of used.all(found)) see(row)
            }
          )
    )
    return count <= most
  })
}

const used = rows("usage", {
  model: Schema.String,
  inputTokens: Schema.Int,
  cacheReadTokens: Schema.Int,
  cacheWriteTokens: Schema.Int,
  cacheWriteHourTokens: Schema.Int,
  outputTokens: Schema.Int,
  reasoningTokens: Schema.Int,
  searches: Schema.Int,
  videoFrames: Schema.Int,
  costNanoUsd: Schema.Int
})
type UsedRow = ReturnType<typeof used.one>
