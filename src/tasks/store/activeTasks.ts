import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

const counted = rows("tasks", { kind: Schema.String, state: Schema.String, n: Schema.Int, oldest: Schema.Int })

/** How many tasks of a kind are in a state, and when the oldest of them was made, in Unix ms. */
export type ActiveTasks = ReturnType<typeof counted.one>

/** Tasks that have not ended, counted up to a hundred thousand, by kind and state. */
export const activeTasks = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<ActiveTasks>, SqlError> =>
  Effect.map(
    sql`SELECT kind, state, COUNT(*) AS n, MIN(created_at) AS oldest
      FROM (SELECT kind, state, created_at FROM tasks WHERE ended_at IS NULL LIMIT 100000) AS counted
      GROUP BY kind, state`,
    counted.all
  )
