import { Effect, Option } from "effect"
import type { Task } from "../Task.ts"
import type { TaskChanges } from "../TaskChanges.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import type { SummaryRow } from "../TaskSummary.ts"
import type { UnitOfWork } from "../UnitOfWork.ts"
import { numberAt } from "../../contract/json/json.ts"
import { isActive, newestFirst } from "./MemoryTasks.ts"
import type { MemoryTask, MemoryTasks } from "./MemoryTasks.ts"

/** Tasks of all accounts: counts, summaries, cancellation requests, removal. */
export const memoryAdministered = (tasks: MemoryTasks, unit: UnitOfWork, changes: TaskChanges) => {
  /** Removes the first of these tasks. Returns their ids. */
  const remove = (some: ReadonlyArray<MemoryTask>, limit: number) => {
    const first = some.slice(0, limit).map(({ task }) => task)
    return Effect.forEach(first, ({ id }) => Effect.as(tasks.put(id, undefined), id)).pipe(
      Effect.zipLeft(changes.removing(first))
    )
  }

  const purge: TaskStorage["purge"] = (endedBeforeMs, limit) =>
    Effect.suspend(() => {
      tasks.purgeRemoved(endedBeforeMs)
      const old = tasks.filter(({ task: { endedAtMs } }) => endedAtMs !== null && endedAtMs < endedBeforeMs)
      return old.length === 0 ? Effect.succeed(0) : unit.commit(Effect.map(remove(old, limit), (ids) => ids.length))
    })

  const erase: TaskStorage["erase"] = (account, limit) =>
    Effect.suspend(() =>
      remove(
        tasks.filter(({ task }) => task.account === account),
        limit
      )
    )

  const active: TaskStorage["active"] = Effect.sync(() => {
    const byState = Map.groupBy(tasks.filter(isActive), ({ task: { kind, state } }) => `${kind} ${state}`)
    return [...byState.values()].flatMap((some) => {
      const [first] = some
      if (first === undefined) return []
      const { kind, state } = first.task
      return [{ kind, state, n: some.length, oldest: Math.min(...some.map(({ task }) => task.createdAtMs)) }]
    })
  })

  const open: TaskStorage["open"] = (ids) =>
    Effect.sync(() => {
      const among = ids.flatMap((id) => tasks.get(id) ?? [])
      return new Set(among.filter(isActive).map(({ task }) => task.id))
    })

  const unfinished: TaskStorage["unfinished"] = (account) =>
    Effect.sync(() => tasks.filter((one) => isActive(one) && one.task.account === account).length)

  const changedSince: TaskStorage["changedSince"] = (sinceMs) =>
    Effect.sync(() =>
      tasks
        .filter(({ task }) => (task.endedAtMs ?? task.updatedAtMs) >= sinceMs)
        .slice(0, 1_000)
        .map(({ task: { account, id, state, updatedAtMs } }) => ({ id, account, state, updatedAtMs }))
    )

  const summary: TaskStorage["summary"] = (id) => Effect.sync(() => Option.getOrUndefined(summedUp(tasks.get(id))))

  const summaries: TaskStorage["summaries"] = ({
    account,
    after,
    callback,
    keys,
    kind,
    limit,
    model,
    sinceMs,
    states
  }) =>
    Effect.sync(() => {
      const all = tasks.filter(
        ({ task }) =>
          task.createdAtMs >= sinceMs &&
          (account === undefined || task.account === account) &&
          (keys === undefined || keys.includes(task.key)) &&
          (kind === undefined || task.kind === kind) &&
          (model === undefined || task.model === model) &&
          (callback === undefined || callbackState(task) === callback) &&
          (states === undefined || states.includes(task.state)) &&
          (after === undefined ||
            task.createdAtMs < after.createdAtMs ||
            (task.createdAtMs === after.createdAtMs && task.id < after.id))
      )
      return newestFirst(all)
        .slice(0, limit)
        .flatMap((one) => Option.toArray(summedUp(one)))
    })

  const askToCancel: TaskStorage["askToCancel"] = (id, nowMs) =>
    tasks.change(id, { cancel: { askedAtMs: nowMs, outcome: undefined } })

  const cancelOutcome: TaskStorage["cancelOutcome"] = (id) =>
    Effect.sync(() => {
      const cancel = tasks.get(id)?.cancel
      return cancel === undefined ? Option.some("none") : Option.fromNullable(cancel.outcome)
    })

  const cancelRequests: TaskStorage["cancelRequests"] = Effect.sync(() =>
    tasks
      .filter(({ cancel }) => cancel !== undefined && cancel.outcome === undefined)
      .map(({ cancel, task: { account, id, kind } }) => ({ id, kind, account, askedAtMs: cancel?.askedAtMs ?? 0 }))
      .toSorted((one, other) => one.askedAtMs - other.askedAtMs)
      .slice(0, 100)
  )

  const answerCancel: TaskStorage["answerCancel"] = (id, answer) =>
    Effect.suspend(() => {
      const cancel = tasks.get(id)?.cancel
      return cancel === undefined ? Effect.void : tasks.change(id, { cancel: { ...cancel, outcome: answer } })
    })

  return {
    purge,
    erase,
    active,
    open,
    unfinished,
    changedSince,
    // This process is the only node.
    heldByNodes: Effect.sync(() => new Map<string, number>()),
    summary,
    summaries,
    askToCancel,
    cancelOutcome,
    cancelRequests,
    answerCancel
  } as const
}

/** Deliveries are stored elsewhere: an ended task's state is unknown, shown like that of a task without callbacks. */
const callbackState = ({ callbackUrl, endedAtMs }: Task): SummaryRow["callback_state"] =>
  callbackUrl === null || endedAtMs !== null ? null : "waiting"

const summedUp = (one: MemoryTask | undefined): Option.Option<SummaryRow> =>
  Option.map(Option.fromNullable(one), ({ costNanoUsd, nextRunAtMs, startedAtMs, task, token }) => ({
    id: task.id,
    kind: task.kind,
    account_id: task.account,
    key_id: task.key,
    model: task.model,
    state: task.state,
    upstream: task.upstream,
    upstream_id: task.upstreamId,
    error: task.error,
    attempts: task.attempts,
    tries: task.tries,
    callback_url: task.callbackUrl,
    request_id: task.requestId,
    progress: numberAt(task.details, "progress") ?? null,
    callback_stuck: false,
    callback_next_at: null,
    callback_state: callbackState(task),
    submit_at: task.submitAtMs,
    started_at: startedAtMs,
    cost_nano_usd: costNanoUsd,
    lease_owner: token === null ? null : "memory",
    next_run_at: nextRunAtMs,
    expires_at: task.expiresAtMs,
    created_at: task.createdAtMs,
    updated_at: task.updatedAtMs,
    ended_at: task.endedAtMs
  }))
