import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Conflict, NotFound, UpstreamFailed } from "../contract/Failure.ts"
import type { Cancelled } from "../tasks/Cancellation.ts"
import { CancelRequests } from "../tasks/CancelRequests.ts"
import type { TaskState } from "../tasks/Task.ts"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./Audit.ts"
import type { Actor } from "./Audit.ts"
import { makeChange } from "./change.ts"
import { summaryColumns, taskSummary } from "./TaskSummary.ts"
import type { TaskSummary, TaskSummaryRow } from "./TaskSummary.ts"

export interface TaskPage {
  readonly account?: string | undefined
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly states?: ReadonlyArray<TaskState> | undefined
  readonly sinceMs: number
  /** The last task of the page before. */
  readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined
  readonly limit: number
}

/** Tasks of every account, for those who run the gateway. */
export class TaskAdministration extends Effect.Service<TaskAdministration>()("gateway/admin/TaskAdministration", {
  dependencies: [CancelRequests.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const requests = yield* CancelRequests
    const change = yield* makeChange
    const columns = sql.literal(summaryColumns)

    const show = (id: string): Effect.Effect<TaskSummary, NotFound> =>
      sql<TaskSummaryRow>`SELECT ${columns} FROM tasks WHERE id = ${id}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) =>
          row === undefined
            ? Effect.fail(new NotFound({ param: null, message: `no task "${id}"` }))
            : Effect.succeed(taskSummary(row))
        )
      )

    /** Newest first. One more than the limit tells of a next page. */
    const list = (page: TaskPage): Effect.Effect<ReadonlyArray<TaskSummary>> =>
      sql<TaskSummaryRow>`SELECT ${columns} FROM tasks WHERE ${sql.and([
        sql`created_at >= ${page.sinceMs}`,
        ...(page.account === undefined ? [] : [sql`account_id = ${page.account}`]),
        ...(page.kind === undefined ? [] : [sql`kind = ${page.kind}`]),
        ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
        ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
        ...(page.after === undefined ? [] : [sql`(created_at, id) < (${page.after.createdAtMs}, ${page.after.id})`])
      ])} ORDER BY created_at DESC, id DESC LIMIT ${page.limit}`.pipe(
        Effect.map((rows) => rows.map(taskSummary)),
        Effect.orDie
      )

    /**
     * Asks the server to cancel a task and waits for what becomes of it. `pending`: no answer in that time; the wish
     * stays, and is fulfilled when a server runs.
     */
    const cancel = (actor: Actor, id: string, patienceMs: number): Effect.Effect<CancelAnswer, NotFound> =>
      Effect.gen(function* () {
        yield* change({
          actor,
          action: "task.cancel",
          before: Effect.map(show(id), ({ state }) => ({ state })),
          write: requests.ask(id),
          after: () => Effect.succeed({ asked_to_cancel: true }),
          target: () => id
        })
        const outcome = yield* Effect.orDie(requests.answer(id, patienceMs))
        return { outcome: Option.getOrElse(outcome, () => "pending" as const), task: yield* show(id) }
      })

    return { show, list, cancel } as const
  })
}) {}

interface CancelAnswer {
  readonly outcome: Cancelled | "pending"
  readonly task: TaskSummary
}

/** What an answer means to whoever asked: the task, or why it goes on. */
export const outcomeOf = (
  { outcome, task }: CancelAnswer,
  isServed: boolean
): Effect.Effect<{ readonly task: TaskSummary; readonly words: string }, NotFound | Conflict | UpstreamFailed> => {
  switch (outcome) {
    case "cancelled":
      return Effect.succeed({ task, words: `Cancelled ${task.id}.` })
    case "pending":
      return Effect.succeed({
        task,
        words: isServed
          ? `The server has not answered yet; ${task.id} is cancelled as soon as it can be.`
          : `No gateway runs on this database; ${task.id} is cancelled at its next start.`
      })
    case "running":
      return Effect.fail(
        new Conflict({ code: null, message: `${task.id} is running, and what runs can't be cancelled` })
      )
    case "ended":
      return Effect.fail(new Conflict({ code: null, message: `${task.id} has ended already: ${task.state}` }))
    case "unreachable":
      return Effect.fail(
        new UpstreamFailed({ message: `the upstream of ${task.id} can't be reached; nothing was cancelled` })
      )
    case "none":
      return Effect.fail(new NotFound({ param: null, message: `no task "${task.id}"` }))
  }
}
