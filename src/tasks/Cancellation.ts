import { Effect, Option } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Cancelled } from "./Task.ts"
import { TaskKinds } from "./TaskKind.ts"
import { TaskStore } from "./TaskStore.ts"

/** How long a cancellation waits for a running submit: 50 ms, a hundred times. */
const submitLooks = { everyMs: 50, times: 100 } as const

/**
 * Cancels waiting tasks, and running ones if their kind supports it. An acknowledged cancellation is final: the
 * upstream has confirmed it and the state is stored.
 */
export class Cancellation extends Effect.Service<Cancellation>()("gateway/tasks/Cancellation", {
  effect: Effect.gen(function* () {
    const store = yield* TaskStore
    const kinds = yield* TaskKinds

    const cancel = (account: AccountId, kind: string, id: string): Effect.Effect<Cancelled, StoreFailure> =>
      attempt(account, kind, id, submitLooks.times)

    const attempt = Effect.fnUntraced(function* (
      account: AccountId,
      kind: string,
      id: string,
      looksLeft: number
    ): Effect.fn.Return<Cancelled, StoreFailure> {
      const found = yield* store.find(account, kind, id)
      if (Option.isNone(found)) return "none"
      const task = found.value
      if (task.endedAtMs !== null) return "ended"
      const stop = kinds.get(kind)?.stop
      if (stop !== undefined) {
        const outcome = yield* stop(task)
        if (outcome !== undefined) return outcome
        return Option.isSome(yield* store.end(id, "cancelled")) ? "cancelled" : "ended"
      }
      if (task.state === "running") return "running"
      if (task.submitAtMs === null && task.upstreamId === null) {
        const ended = yield* store.end(id, "cancelled", { from: ["queued"], unsubmitted: true })
        // A worker was faster: try again.
        return Option.isSome(ended) ? "cancelled" : yield* attempt(account, kind, id, looksLeft)
      }
      if (task.upstreamId === null) {
        if (looksLeft === 0) return "running"
        yield* Effect.sleep(submitLooks.everyMs)
        return yield* attempt(account, kind, id, looksLeft - 1)
      }
      const answer = yield* kinds.get(kind)?.cancel?.(task) ?? Effect.succeed("running" as const)
      if (answer === "ended") {
        // It has ended at the upstream; the next poll finds its outcome.
        return "running"
      }
      if (answer !== "cancelled") return answer
      yield* store.end(id, "cancelled")
      // A poll or the deadline may have ended it first. Then that outcome stands.
      const now = yield* store.find(account, kind, id)
      return Option.exists(now, (task) => task.state === "cancelled") ? "cancelled" : "ended"
    })

    return { cancel } as const
  })
}) {}
