import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Record, Schema } from "effect"
import { noColumns, rowMeasures } from "../../contract/records/measures.ts"
import { rows } from "../../sql/decode.ts"
import { addSums, noSums, usedFields } from "../../sums/Sums.ts"
import { serviceNames } from "../../contract/records/Service.ts"
import { serviceRow } from "./serviceRow.ts"
import { usedSql } from "./usageBooks.ts"

const settled = rows("usage", {
  request_id: Schema.String,
  task_id: Schema.String,
  at: Schema.Int,
  ...usedFields,
  ...Record.map(noColumns.request_details, () => Schema.Number),
  ...serviceRow
})
/**
 * A task's usage and cost, how its last answer was served, and the time of its settlement. `requests` is 0 if no answer was
 * charged.
 */
export type SettledTask = ReturnType<typeof settled.one>

const columns = [usedSql, ...rowMeasures, ...serviceNames].join(", ")

/** The settlements of tasks, by the requests that created them. A task may have broken answers and unused calls too. */
export const tasksUsage =
  (sql: SqlClient.SqlClient) =>
  (requestIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, SettledTask>, SqlError> =>
    requestIds.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          sql`SELECT request_id, task_id, at, ${sql.literal(columns)} FROM usage
            WHERE task_id IS NOT NULL AND ${sql.in("request_id", requestIds)} ORDER BY id`,
          (found) => {
            const tasks = new Map<string, SettledTask>()
            for (const row of settled.all(found)) {
              const sums = addSums(addSums(noSums(), row), tasks.get(row.request_id) ?? {})
              tasks.set(row.request_id, { ...row, ...sums })
            }
            return tasks
          }
        )
