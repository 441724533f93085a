import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Layer, Option, Queue } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Changes } from "../sql/Changes.ts"
import { Cancellation } from "./Cancellation.ts"
import { TaskCancellations } from "./store/TaskCancellations.ts"
import { TaskStore } from "./store/TaskStore.ts"
import type { Cancelled, Task } from "./Task.ts"

/** How often somebody who waits looks for the answer, in ms. */
const lookEvery = 50

/**
 * Wishes to cancel a task by those who run the gateway, perhaps in another process. The server alone may end a task: it
 * knows the upstreams, and the money that the task holds is in its memory. So a wish is a row, and so is its answer.
 */
export class CancelRequests extends Effect.Service<CancelRequests>()("gateway/tasks/CancelRequests", {
  dependencies: [TaskCancellations.Default, Changes.Default],
  effect: Effect.gen(function* () {
    const wishes = yield* TaskCancellations
    const changes = yield* Changes

    /** Leaves the wish. To be run in a transaction. */
    const ask = (id: string): Effect.Effect<unknown, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Effect.zipRight(changes.tell, wishes.insert(id, nowMs)))

    /** Waits for the server's answer; none where there is none in that time. */
    const answer = (id: string, patienceMs: number): Effect.Effect<Option.Option<Cancelled>, SqlError> =>
      Effect.flatMap(wishes.outcome(id), (found) =>
        Option.isSome(found) || patienceMs <= 0
          ? Effect.succeed(found)
          : Effect.zipRight(Effect.sleep(lookEvery), answer(id, patienceMs - lookEvery))
      )

    return { ask, answer } as const
  })
}) {}

const wasCancelled = (task: Option.Option<Task>, sinceMs: number): boolean =>
  Option.exists(task, ({ endedAtMs, state }) => state === "cancelled" && endedAtMs !== null && endedAtMs >= sinceMs)

/** The server's part: fulfils the wishes that are there at the start, and each new one within a second. */
export const CancelRequestsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const wishes = yield* TaskCancellations
    const changes = yield* Changes
    const cancellation = yield* Cancellation
    const store = yield* TaskStore
    const wanted = yield* Queue.sliding<void>(1)
    const pass = Effect.flatMap(wishes.open, (open) =>
      Effect.forEach(
        open,
        ({ account, asked_at, id, kind }) =>
          cancellation.cancel(account, kind, id).pipe(
            // By another node, which fulfils the same wish.
            Effect.flatMap((outcome) =>
              outcome === "ended"
                ? Effect.map(store.find(account, kind, id), (found) =>
                    wasCancelled(found, asked_at) ? "cancelled" : outcome
                  )
                : Effect.succeed(outcome)
            ),
            // A task that can't be read has no answer, and the others' wishes don't wait for one.
            Effect.catchAllDefect((defect) =>
              Effect.as(Effect.logError("a wish to cancel could not be fulfilled", defect), "none" as const)
            ),
            Effect.flatMap((outcome) => wishes.settle(id, outcome)),
            Effect.annotateLogs({ task: id })
          ),
        { concurrency: 10, discard: true }
      )
    )
    yield* changes.listen(wanted.offer(undefined))
    yield* daemon("tasks.cancelRequests", Effect.as(pass, wanted.take), backoff)
  })
).pipe(Layer.provide([TaskCancellations.Default, Changes.Default, Cancellation.Default, Daemons.Default]))
