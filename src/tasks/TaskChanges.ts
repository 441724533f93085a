import { Effect } from "effect"
import { Notices } from "../sql/Notices.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import { makeBells } from "./Bells.ts"
import { makeChangeLog } from "./changeLog.ts"
import { Outbox } from "./Outbox.ts"
import type { TaskChange } from "./Outbox.ts"
import { isTerminal } from "./Task.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Task } from "./Task.ts"
import { TaskKinds } from "./TaskKind.ts"

/**
 * The consequences of a change of a task's state, the same for every store: writes in the same transaction, and
 * listeners called once it is durable.
 */
export class TaskChanges extends Effect.Service<TaskChanges>()("gateway/tasks/TaskChanges", {
  effect: Effect.gen(function* () {
    const outbox = yield* Outbox
    const kinds = yield* TaskKinds
    const tracing = yield* CurrentTracing
    const notices = yield* Notices
    const bells = makeBells()
    const { tell, unreadable } = yield* makeChangeLog

    const changeOf = (task: Task): TaskChange => {
      const kind = kinds.get(task.kind)
      return { task, record: () => kind?.record(task) ?? {}, event: kind?.event?.(task) }
    }

    /** Runs in the transaction that stores a new task. */
    const creating = (task: Task, quietUntilMs?: number): Effect.Effect<void, StoreFailure> =>
      outbox.record({ ...changeOf(task), notBeforeMs: quietUntilMs })

    /**
     * Runs in the transaction that changes a task's state.
     *
     * @param paid stores the task's cost, in nano-dollars; not called if it is 0
     */
    const changing = (
      task: Task,
      paid: (nanoUsd: number) => Effect.Effect<unknown, StoreFailure>
    ): Effect.Effect<void, StoreFailure> => {
      const also = kinds.get(task.kind)?.changed
      const recorded = outbox.record(changeOf(task))
      if (also === undefined) return recorded
      const settled = Effect.flatMap(also(task), (nanoUsd) => (nanoUsd === 0 ? Effect.void : paid(nanoUsd)))
      return Effect.zipRight(settled, recorded)
    }

    /**
     * Runs in the unit of work that removes tasks from a store outside of the database. In the database, triggers do
     * this.
     */
    const removing = (tasks: ReadonlyArray<Task>): Effect.Effect<void, StoreFailure> => {
      const idsByKind = Map.groupBy(tasks, ({ kind }) => kind)
      const ofKinds = Effect.forEach(
        idsByKind,
        ([kind, some]) => kinds.get(kind)?.removed?.(some.map(({ id }) => id)) ?? Effect.void,
        { discard: true }
      )
      return Effect.zipRight(ofKinds, outbox.forget(tasks.map(({ id }) => id)))
    }

    /** The change is durable. */
    const announceChange = (task: Task): void => {
      if (tracing !== undefined && isTerminal(task.state)) tracing.ended(task)
      tell(task)
      outbox.committed(changeOf(task))
    }

    /** The new task is durable. */
    const created = (task: Task): void => {
      bells.due.ring()
      bells.deadlineAt(task.expiresAtMs)
      announceChange(task)
      tracing?.made(task)
    }

    /** The task was ended, perhaps while another node works on it. */
    const announceEnd = (task: Task): void => {
      announceChange(task)
      notices.notify("tasks.ended", task.id)
    }

    return {
      bells,
      creating,
      created,
      changing,
      changed: announceChange,
      removing,
      ended: announceEnd,
      unreadable
    } as const
  })
}) {}
