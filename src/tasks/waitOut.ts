import { Clock, Effect, Random } from "effect"
import type { Failure } from "../contract/Failure.ts"
import { saturated } from "./backoff.ts"
import type { Task } from "./Task.ts"
import type { TaskTurn } from "./TaskKind.ts"

/** How long a generation that nobody waits for may wait for a rate limit to pass, in ms. */
const patienceMs = 3_600_000

/**
 * How a turn ends whose generation failed. Nobody waits on the line: a rate limit is waited out as videos do, the task a
 * row meanwhile. Anything else ends it.
 *
 * @param failed the turn that ends it
 */
export const waitOut = (task: Task, failure: Failure, failed: TaskTurn): Effect.Effect<TaskTurn> =>
  Effect.zipWith(Random.next, Clock.currentTimeMillis, (random, nowMs) => {
    if (failure._tag !== "RateLimited") return failed
    const againInMs = saturated(task.tries, failure.retryAfterSeconds ?? undefined, random)
    return nowMs + againInMs - task.createdAtMs > patienceMs ? failed : { patch: { tries: task.tries + 1 }, againInMs }
  })
