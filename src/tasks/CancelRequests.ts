import { Clock, Effect, Layer, Option, Queue } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Changes } from "../sql/Changes.ts"
import { Cancellation } from "./Cancellation.ts"
import { orStoreFailure } from "./StoreFailure.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Cancelled, Task } from "./Task.ts"
import { TaskStore } from "./TaskStore.ts"

/** How often the answer is polled, in ms. */
const lookEvery = 50

/**
 * Operators' requests to cancel a task, perhaps from another process. Only the server may end a task: it knows the
 * upstreams, and holds the task's money in memory. So requests and their answers are stored.
 */
export class CancelRequests extends Effect.Service<CancelRequests>()("gateway/tasks/CancelRequests", {
  dependencies: [Changes.Default],
  effect: Effect.gen(function* () {
    const store = yield* TaskStore
    const changes = yield* Changes

    /** Stores the request. Run it in a transaction. */
    const ask = (id: string): Effect.Effect<unknown, StoreFailure> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.zipRight(orStoreFailure(changes.tell), store.askToCancel(id, nowMs))
      )

    /** Waits for the server's answer; none if it does not come in time. */
    const answer = (id: string, patienceMs: number): Effect.Effect<Option.Option<Cancelled>, StoreFailure> =>
      Effect.flatMap(store.cancelOutcome(id), (found) =>
        Option.isSome(found) || patienceMs <= 0
          ? Effect.succeed(found)
          : Effect.zipRight(Effect.sleep(lookEvery), answer(id, patienceMs - lookEvery))
      )

    return { ask, answer } as const
  })
}) {}

const wasCancelled = (task: Option.Option<Task>, sinceMs: number): boolean =>
  Option.exists(task, ({ endedAtMs, state }) => state === "cancelled" && endedAtMs !== null && endedAtMs >= sinceMs)

/** The server's part: answers the requests found at the start, and each new one within a second. */
export const CancelRequestsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const changes = yield* Changes
    const cancellation = yield* Cancellation
    const store = yield* TaskStore
    const wanted = yield* Queue.sliding<void>(1)
    const pass = Effect.flatMap(store.cancelRequests, (open) =>
      Effect.forEach(
        open,
        ({ account, askedAtMs, id, kind }) =>
          cancellation.cancel(account, kind, id).pipe(
            // Another node may have answered the same request.
            Effect.flatMap((outcome) =>
              outcome === "ended"
                ? Effect.map(store.find(account, kind, id), (found) =>
                    wasCancelled(found, askedAtMs) ? "cancelled" : outcome
                  )
                : Effect.succeed(outcome)
            ),
            // An unreadable task has no answer, and must not block the other requests.
            Effect.catchAllDefect((defect) =>
              Effect.as(Effect.logError("a cancellation failed", defect), "none" as const)
            ),
            Effect.flatMap((outcome) => store.answerCancel(id, outcome)),
            Effect.annotateLogs({ task: id })
          ),
        { concurrency: 10, discard: true }
      )
    )
    yield* changes.listen(wanted.offer(undefined))
    yield* daemon("tasks.cancelRequests", Effect.as(pass, wanted.take), backoff)
  })
).pipe(Layer.provide([Changes.Default, Cancellation.Default, Daemons.Default]))
