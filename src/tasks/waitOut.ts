import { Clock, Effect, Random } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import { saturatedDelay } from "./backoff.ts"
import type { Task } from "./Task.ts"
import type { TaskTurn } from "./TaskKind.ts"

/** How long a background generation may wait for a rate limit, in ms. */
const patienceMs = 3_600_000

/**
 * Ends the turn of a failed generation. No client is connected, so a rate limit is waited out: the task is only a row
 * meanwhile. Other failures end it.
 *
 * @param failed the turn that ends it
 */
export const waitOut = (task: Task, failure: Failure, failed: TaskTurn): Effect.Effect<TaskTurn> =>
  Effect.zipWith(Random.next, Clock.currentTimeMillis, (random, nowMs) => {
    if (failure._tag !== "RateLimited" || failure.neverFits === true) return failed
    const againInMs = saturatedDelay(task.tries, failure.retryAfterSeconds ?? undefined, random)
    return nowMs + againInMs - task.createdAtMs > patienceMs ? failed : { patch: { tries: task.tries + 1 }, againInMs }
  })
