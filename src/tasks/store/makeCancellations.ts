import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { AccountId } from "../../contract/callers/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import { Cancelled } from "../Task.ts"
import type { TaskStorage } from "../TaskStorage.ts"

/** Requests to cancel a task: one row each, to which the server adds its answer. */
export const makeCancellations = Effect.map(SqlClient.SqlClient, (sql) => {
  const askToCancel: TaskStorage["askToCancel"] = (id, nowMs) =>
    Effect.asVoid(
      orStoreFailure(sql`INSERT INTO task_cancellations (task_id, asked_at) VALUES (${id}, ${nowMs})
        ON CONFLICT (task_id) DO UPDATE SET asked_at = excluded.asked_at, outcome = NULL`)
    )

  const cancelOutcome: TaskStorage["cancelOutcome"] = (id) =>
    Effect.map(orStoreFailure(sql`SELECT outcome FROM task_cancellations WHERE task_id = ${id}`), (found) => {
      const row = outcomes.first(found)
      return row === undefined ? Option.some("none") : Option.fromNullable(row.outcome)
    })

  const cancelRequests: TaskStorage["cancelRequests"] = Effect.map(
    orStoreFailure(sql`SELECT t.id, t.kind, t.account_id AS account, c.asked_at
      FROM task_cancellations c JOIN tasks t ON t.id = c.task_id
      WHERE c.outcome IS NULL ORDER BY c.asked_at LIMIT 100`),
    (found) => requests.all(found).map(({ asked_at, ...request }) => ({ ...request, askedAtMs: asked_at }))
  )

  const answerCancel: TaskStorage["answerCancel"] = (id, answer) =>
    Effect.asVoid(orStoreFailure(sql`UPDATE task_cancellations SET outcome = ${answer} WHERE task_id = ${id}`))

  return { askToCancel, cancelOutcome, cancelRequests, answerCancel } as const
})

const outcomes = rows("task_cancellations", { outcome: Schema.NullOr(Cancelled) })
const requests = rows("task_cancellations", {
  id: Schema.String,
  kind: Schema.String,
  account: AccountId,
  asked_at: Schema.Int
})
