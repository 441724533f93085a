import { Effect, Exit, Option } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { StoreFailure } from "../StoreFailure.ts"
import { queuedTask, applyPatch } from "../Task.ts"
import type { Task } from "../Task.ts"
import type { TaskChanges } from "../TaskChanges.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import type { UnitOfWork } from "../UnitOfWork.ts"
import { isActive, least, newestFirst, withNow } from "./MemoryTasks.ts"
import type { MemoryTask, MemoryTasks } from "./MemoryTasks.ts"

/** Tasks for their families. */
export const memoryOwned = (
  tasks: MemoryTasks,
  unit: UnitOfWork,
  changes: TaskChanges,
  changed: (task: Task) => Effect.Effect<void, StoreFailure>
) => {
  const insert: TaskStorage["insert"] = (given, alongside = Effect.void, behind = Effect.void) => {
    const task = queuedTask(given)
    const one: MemoryTask = {
      task,
      request: JSON.stringify(given.request),
      fingerprint: undefined,
      nextRunAtMs: task.createdAtMs,
      token: null,
      startedAtMs: null,
      costNanoUsd: 0,
      cancel: undefined
    }
    // No worker may claim it before it is durable.
    const placed = Effect.suspend(() =>
      tasks.get(task.id) === undefined
        ? unit.afterCommit(() => tasks.set(task.id, one))
        : new StoreFailure({ message: `task "${task.id}" already exists`, cause: undefined })
    )
    const all = alongside.pipe(
      Effect.zipRight(placed),
      Effect.zipRight(behind),
      Effect.zipRight(changes.creating(task, given.quietUntilMs))
    )
    return Effect.map(unit.commit(all), () => {
      changes.created(task)
      return task
    })
  }

  const finished = new WeakMap<Task, Exit.Exit<Option.Option<Task>>>()
  const findOwn = (account: AccountId, kind: string, id: string) => {
    const task = tasks.get(id)?.task
    if (task?.account !== account || task.kind !== kind) return undefined
    const found = finished.get(task) ?? Exit.succeed(Option.some(task))
    finished.set(task, found)
    return found
  }
  const find: TaskStorage["find"] = (account, kind, id) =>
    Effect.suspend(() => findOwn(account, kind, id) ?? Effect.succeedNone)
  const read: TaskStorage["read"] = (account, kind, id) => findOwn(account, kind, id) ?? find(account, kind, id)

  const list: TaskStorage["list"] = (page) =>
    Effect.sync(() => {
      const { account, after, ids, keys, kind, limit, model, offset, order, sinceMs, states, tier } = page
      const all = tasks.filter(
        ({ task }) =>
          task.account === account &&
          task.kind === kind &&
          (keys === undefined || keys.includes(task.key)) &&
          task.createdAtMs >= sinceMs &&
          (states === undefined || states.includes(task.state)) &&
          (ids === undefined || ids.includes(task.id)) &&
          (model === undefined || task.model === model) &&
          (tier === undefined || task.tier === tier)
      )
      const newest = newestFirst(all)
      const ordered = order === "asc" ? newest.toReversed() : newest
      const rest = after === undefined ? ordered : ordered.filter(({ task }) => isAfter(task, after, order))
      const some = rest.slice(offset, offset + limit)
      return { total: rest.length, tasks: some.map(({ task }) => task) }
    })

  const end: TaskStorage["end"] = (id, state, { error, from = ["queued", "running"], unsubmitted = false } = {}) =>
    withNow((nowMs) => {
      const ending = Effect.gen(function* () {
        const one = tasks.get(id)
        if (one === undefined || !isActive(one) || !from.includes(one.task.state)) return Option.none<Task>()
        const isSubmitted = one.task.submitAtMs !== null || one.task.upstreamId !== null
        if (unsubmitted && isSubmitted) return Option.none<Task>()
        const task: Task = { ...applyPatch(one.task, { state }, nowMs), error: error ?? null, endedAtMs: nowMs }
        yield* tasks.put(id, { ...one, task, token: null, request: undefined })
        yield* changed(task)
        return Option.some(task)
      })
      return Effect.tap(unit.commit(ending), (ended) =>
        Effect.sync(() => {
          if (Option.isSome(ended)) changes.ended(ended.value)
        })
      )
    })

  const remove: TaskStorage["remove"] = (account, kind, id) =>
    Effect.suspend(() => {
      const one = tasks.get(id)
      if (one === undefined || isActive(one) || one.task.account !== account || one.task.kind !== kind) {
        return Effect.succeed(false)
      }
      const removed = unit.afterCommit(() => tasks.remove(one))
      return unit.commit(changes.removing([one.task]).pipe(Effect.zipRight(removed), Effect.as(true)))
    })

  const amend: TaskStorage["amend"] = (id, change) =>
    Effect.suspend(() => {
      const one = tasks.get(id)
      if (one?.task.state !== "succeeded") return Effect.succeed(false)
      return Effect.as(tasks.put(id, { ...one, task: { ...one.task, result: change(one.task.result) } }), true)
    })

  const expireDue: TaskStorage["expireDue"] = withNow((nowMs) =>
    Effect.gen(function* () {
      const dueToExpire = () =>
        tasks
          .filter(isActive)
          .flatMap(({ task }) => (task.expiresAtMs === null ? [] : [[task.expiresAtMs, task.id] as const]))
      const late = dueToExpire().filter(([atMs]) => atMs <= nowMs)
      const ended = yield* Effect.forEach(late, ([, id]) => end(id, "expired"), { concurrency: "unbounded" })
      return { expired: ended.flatMap(Option.toArray), nextMs: least(dueToExpire().map(([atMs]) => atMs)) }
    })
  )

  return { insert, find, read, list, end, remove, amend, expireDue } as const
}

const isAfter = (
  { createdAtMs, id }: Task,
  after: { readonly id: string; readonly createdAtMs: number },
  order: "asc" | "desc" = "desc"
): boolean => {
  const isLater = createdAtMs === after.createdAtMs ? id > after.id : createdAtMs > after.createdAtMs
  return order === "asc" ? isLater : !isLater && id !== after.id
}
