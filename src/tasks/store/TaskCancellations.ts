import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { AccountId } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { Cancelled } from "../Task.ts"

/** The statements behind wishes to cancel a task: a row for each, which the server's answer joins. */
export class TaskCancellations extends Effect.Service<TaskCancellations>()("gateway/tasks/store/TaskCancellations", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Leaves a wish; one that was answered is open again. */
    const insert = (id: string, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO task_cancellations (task_id, asked_at) VALUES (${id}, ${nowMs})
        ON CONFLICT (task_id) DO UPDATE SET asked_at = excluded.asked_at, outcome = NULL`

    /** The server's answer, if there is one. A task that is gone took its wish with it. */
    const outcome = (id: string): Effect.Effect<Option.Option<Cancelled>, SqlError> =>
      Effect.map(sql`SELECT outcome FROM task_cancellations WHERE task_id = ${id}`, (found) => {
        const row = outcomes.first(found)
        return row === undefined ? Option.some("none") : Option.fromNullable(row.outcome)
      })

    /** Some of the tasks whose wishes wait for an answer, the oldest first. */
    const open = Effect.map(
      sql`SELECT t.id, t.kind, t.account_id AS account, c.asked_at FROM task_cancellations c JOIN tasks t ON t.id = c.task_id
        WHERE c.outcome IS NULL ORDER BY c.asked_at LIMIT 100`,
      wished.all
    )

    const settle = (id: string, answer: Cancelled): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE task_cancellations SET outcome = ${answer} WHERE task_id = ${id}`

    return { insert, outcome, open, settle } as const
  })
}) {}

const outcomes = rows("task_cancellations", { outcome: Schema.NullOr(Cancelled) })
const wished = rows("task_cancellations", {
  id: Schema.String,
  kind: Schema.String,
  account: AccountId,
  asked_at: Schema.Int
})
