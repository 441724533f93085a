import { Effect, Option } from "effect"
import type { Actor } from "../contract/callers/Acting.ts"
import { Conflict, NotFound, UpstreamFailed } from "../contract/failures/Failure.ts"
import { StoredHolds } from "../ledger/store/StoredHolds.ts"
import { CancelRequests } from "../tasks/CancelRequests.ts"
import type { TaskPage } from "../tasks/TaskSummary.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import type { Cancelled } from "../tasks/Task.ts"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./store/Audit.ts"
import { makeChange } from "./change.ts"
import { taskSummary } from "./TaskSummary.ts"
import type { TaskSummary } from "./TaskSummary.ts"

/** The operator's view of all accounts' tasks. */
export class TaskAdministration extends Effect.Service<TaskAdministration>()("gateway/admin/TaskAdministration", {
  dependencies: [StoredHolds.Default, CancelRequests.Default, Audit.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const tasks = yield* TaskStore
    const holds = yield* StoredHolds
    const requests = yield* CancelRequests
    const change = yield* makeChange

    const show = (id: string): Effect.Effect<TaskSummary, NotFound> =>
      Effect.flatMap(Effect.orDie(tasks.summary(id)), (row) =>
        row === undefined
          ? Effect.fail(new NotFound({ param: null, message: `no task "${id}"` }))
          : Effect.map(Effect.orDie(holds.amounts([id])), (held) => taskSummary(row, held.get(id) ?? 0))
      )

    /** Newest first. Callers ask for one row more than a page to detect the next one. */
    const list = (page: TaskPage): Effect.Effect<ReadonlyArray<TaskSummary>> =>
      Effect.gen(function* () {
        const rows = yield* tasks.summaries(page)
        const held = yield* holds.amounts(rows.map(({ id }) => id))
        return rows.map((row) => taskSummary(row, held.get(row.id) ?? 0))
      }).pipe(Effect.orDie)

    /**
     * Requests the cancellation of a task and waits `patienceMs` for the server's answer. `pending`: none came in time; the
     * request stays until a server handles it.
     */
    const cancel = (actor: Actor, id: string, patienceMs: number): Effect.Effect<CancelAnswer, NotFound> =>
      Effect.gen(function* () {
        yield* change({
          actor,
          action: "task.cancel",
          before: Effect.map(show(id), ({ state }) => ({ state })),
          write: Effect.orDie(requests.ask(id)),
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

/** The task, cancelled or to be cancelled, or the reason why it goes on. */
export const outcomeOf = ({
  outcome,
  task
}: CancelAnswer): Effect.Effect<TaskSummary, NotFound | Conflict | UpstreamFailed> => {
  switch (outcome) {
    case "cancelled":
    case "pending":
      return Effect.succeed(task)
    case "running":
      return Effect.fail(new Conflict({ code: null, message: `${task.id} is running and can't be cancelled any more` }))
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
