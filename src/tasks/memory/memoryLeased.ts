import { Duration, Effect, Option } from "effect"
import { parseJson } from "../../contract/json/json.ts"
import { CrashPoints } from "../CrashPoints.ts"
import { releasesRequest } from "../releasesRequest.ts"
import type { StoreFailure } from "../StoreFailure.ts"
import { isTerminal, isUnheard, applyPatch } from "../Task.ts"
import type { Task, TaskPatch } from "../Task.ts"
import type { TaskChanges } from "../TaskChanges.ts"
import { LeaseLost, TaskKinds } from "../TaskKind.ts"
import { mostRivals, rivalryMs } from "../rivalry.ts"
import { LeaseTime } from "../TaskSettings.ts"
import type { LeasedTask, TaskStorage } from "../TaskStorage.ts"
import type { UnitOfWork } from "../UnitOfWork.ts"
import { dueFirst, isActive, least, withNow } from "./MemoryTasks.ts"
import type { MemoryTask, MemoryTasks } from "./MemoryTasks.ts"

/** Tasks for workers. A lease lasts for a time, and is renewed while its turn runs. */
export const memoryLeased = (
  tasks: MemoryTasks,
  unit: UnitOfWork,
  changes: TaskChanges,
  changed: (task: Task) => Effect.Effect<void, StoreFailure>
) =>
  Effect.gen(function* () {
    const kinds = yield* TaskKinds
    const crash = yield* CrashPoints
    const leaseMs = Duration.toMillis(yield* LeaseTime)
    let claims = 0

    const lanes: TaskStorage["lanes"] = Effect.sync(() => {
      const due = new Map<string, number>()
      for (const { nextRunAtMs, task } of tasks.filter(isActive)) {
        due.set(task.lane, Math.min(due.get(task.lane) ?? Infinity, nextRunAtMs))
      }
      return [...due]
        .map(([lane, at]) => ({ lane, due: at }))
        .toSorted((one, other) => (one.lane < other.lane ? -1 : 1))
    })

    const claim: TaskStorage["claim"] = (lane, limit) =>
      withNow((nowMs) =>
        Effect.sync(() => {
          const due = tasks.filter((one) => isActive(one) && one.task.lane === lane && one.nextRunAtMs <= nowMs)
          const token = `memory:${claims++}`
          return dueFirst(due)
            .slice(0, limit)
            .map((one): LeasedTask => {
              tasks.set(one.task.id, { ...one, token, nextRunAtMs: nowMs + leaseMs })
              return { task: one.task, token }
            })
        })
      )

    const heldOf = ({ task, token }: { readonly task: { readonly id: string }; readonly token: string }) => {
      const one = tasks.get(task.id)
      return one?.token === token ? one : undefined
    }
    const fence = (leased: LeasedTask): Effect.Effect<MemoryTask, LeaseLost> =>
      Effect.suspend(() => {
        const one = heldOf(leased)
        return one === undefined ? new LeaseLost({ id: leased.task.id }) : Effect.succeed(one)
      })

    const renew: TaskStorage["renew"] = (leased) =>
      withNow((nowMs) =>
        Effect.sync(() => {
          const kept = leased.flatMap((one) => heldOf(one) ?? [])
          for (const one of kept) tasks.set(one.task.id, { ...one, nextRunAtMs: nowMs + leaseMs })
          return new Set(kept.map(({ task }) => task.id))
        })
      )

    const patchedTo = (
      leased: LeasedTask,
      patch: TaskPatch,
      release: Partial<MemoryTask>,
      attempts: number
    ): Effect.Effect<Task, LeaseLost | StoreFailure> =>
      withNow((nowMs) => {
        const before = leased.task
        const task = applyPatch(before, patch, nowMs)
        const isChanged = task.changes !== before.changes
        const writing = Effect.gen(function* () {
          const one = yield* fence(leased)
          yield* tasks.put(task.id, {
            ...one,
            ...(isChanged && task.state === "running" && { startedAtMs: task.updatedAtMs }),
            fingerprint: patch.fingerprint ?? (isUnheard(task) ? one.fingerprint : undefined),
            ...(releasesRequest(kinds.get(task.kind), before, task) && { request: undefined }),
            ...release,
            ...(isTerminal(task.state) && { token: null }),
            task: { ...task, attempts }
          })
          if (!isChanged) return
          yield* changed(task)
          yield* crash.at("writing")
        })
        return Effect.map(isChanged ? unit.commit(writing) : writing, () => {
          leased.task = task
          if (isChanged) changes.changed(task)
          return task
        })
      })

    const write: TaskStorage["write"] = (leased, patch) => patchedTo(leased, patch, {}, leased.task.attempts)

    const settle: TaskStorage["settle"] = (leased, turn) =>
      withNow((nowMs) => patchedTo(leased, turn.patch, { token: null, nextRunAtMs: nowMs + turn.againInMs }, 0))

    const removeHeld: TaskStorage["removeHeld"] = (leased, error, behind) =>
      withNow((nowMs) =>
        unit.commit(
          Effect.gen(function* () {
            yield* fence(leased)
            yield* changed(applyPatch(leased.task, { state: "failed", error }, nowMs))
            yield* behind
            yield* tasks.put(leased.task.id, undefined)
            yield* changes.removing([leased.task])
          })
        )
      )

    const release: TaskStorage["release"] = (leased, { againInMs, crashed }) =>
      withNow((nowMs) =>
        Effect.map(fence(leased), (one) => {
          const attempts = leased.task.attempts + (crashed ? 1 : 0)
          const task = { ...one.task, attempts }
          tasks.set(task.id, { ...one, task, token: null, nextRunAtMs: nowMs + againInMs })
        })
      )

    const request: TaskStorage["request"] = (id) => Effect.sync(() => parseJson(tasks.get(id)?.request ?? "null"))

    const rivals: TaskStorage["rivals"] = ({ id, lane }, upstreamIds, submitAtMs) =>
      Effect.sync(() => {
        if (upstreamIds.length === 0) return { taken: new Set<string>(), unheard: [], isCut: false }
        const stored = tasks.filter(({ task }) => task.lane === lane && task.id !== id)
        const others = [...stored, ...tasks.removedOf(lane)]
        const taken = others.flatMap(({ task: { upstreamId } }) =>
          upstreamId !== null && upstreamIds.includes(upstreamId) ? [upstreamId] : []
        )
        const unheard = others.flatMap((one) => {
          const { id, submitAtMs: at, upstreamId } = one.task
          return upstreamId === null && at !== null && Math.abs(at - submitAtMs) <= rivalryMs
            ? [{ id, submitAtMs: at, isOpen: isActive(one), fingerprint: one.fingerprint ?? null }]
            : []
        })
        return {
          taken: new Set(taken),
          unheard: unheard.slice(0, mostRivals),
          isCut: unheard.length > mostRivals
        }
      })

    const oldestExpiredLeaseMs: TaskStorage["oldestExpiredLeaseMs"] = withNow((nowMs) =>
      Effect.sync(() => {
        const until = least(tasks.filter(({ token }) => token !== null).map(({ nextRunAtMs }) => nextRunAtMs))
        return Math.max(0, nowMs - Option.getOrElse(until, () => nowMs))
      })
    )

    return {
      lanes,
      claim,
      renew,
      held: (leased: LeasedTask) => Effect.asVoid(fence(leased)),
      write,
      settle,
      removeHeld,
      release,
      request,
      rivals,
      // There was no process before.
      takeOver: Effect.succeed(0),
      oldestExpiredLeaseMs
    } as const
  })
