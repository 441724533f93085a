import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { patched } from "../Task.ts"
import type { Task, TaskError } from "../Task.ts"
import { LeaseLost } from "../TaskKind.ts"
import { TaskStore } from "./TaskStore.ts"

/**
 * Takes a task back that its worker holds: it fails, which ends its hold, and is gone with its callbacks, all in one
 * transaction. What a later turn of its own would store finds no row.
 */
export const makeRemoval = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const store = yield* TaskStore
  return (
    { task, token }: { readonly task: Task; readonly token: string },
    error: TaskError,
    behind: Effect.Effect<unknown, SqlError>
  ): Effect.Effect<void, LeaseLost | SqlError> =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      commits.write(
        Effect.gen(function* () {
          store.changing(task.id)
          const ended = yield* sql`UPDATE tasks SET state = ${"failed"}, ended_at = ${nowMs}
            WHERE id = ${task.id} AND lease_token = ${token} RETURNING id`
          if (ended.length === 0) return yield* new LeaseLost({ id: task.id })
          yield* store.changed(patched(task, { state: "failed", error }, nowMs))
          yield* behind
          yield* sql`DELETE FROM tasks WHERE id = ${task.id}`
        })
      )
    )
})
