import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import type { Book } from "../../sums/Book.ts"
import { attemptMeasures } from "../../sums/Sums.ts"
import { attemptCounts, beginsWithAttempts } from "../attemptCounts.ts"
import { requestRowsIn } from "./requestBook.ts"
import { requestDays } from "./RequestDays.ts"
import { taskCalls } from "./taskCalls.ts"

/** Calls to upstreams, by upstream: those of requests when these began, those of tasks when they were made. */
export const attemptBook = (sql: SqlClient.SqlClient): Book => {
  const { inStrides } = requestRowsIn(sql)
  const calls = taskCalls(sql)
  return {
    wholes: [
      requestDays(sql, attemptMeasures),
      {
        table: "request_hours",
        unit: "hour",
        measures: attemptMeasures,
        columns: ["account_id", "key_id", "model", "upstream"],
        isMixed: true
      }
    ],
    ready: Effect.void,
    rows: ({ scope = {}, span }, add) => {
      const group = (name: string) => ({ atMs: 0, name, second: "" })
      const ofTasks = calls.counts(span, scope.where ?? [], (upstream, counts) => add(group(upstream), counts))
      const ofRequests = inStrides(span, scope, (within) =>
        Effect.map(
          sql`SELECT upstream, status, error, details FROM requests
            WHERE ${within} AND details LIKE ${`${beginsWithAttempts}%`}`,
          (found) => {
            for (const row of attempted.all(found)) {
              for (const [upstream, counts] of attemptCounts(row)) add(group(upstream), counts)
            }
          }
        )
      )
      return Effect.zipRight(ofTasks, ofRequests)
    }
  }
}

const attempted = rows("requests", {
  upstream: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  details: Schema.String
})
