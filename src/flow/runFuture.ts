import { Runtime } from "effect"
import type { Effect, Fiber } from "effect"
import { exitOf, isExit } from "./exitOf.ts"
import { settledOf } from "./Future.ts"
import type { Future } from "./Future.ts"
import { PendingFuture } from "./PendingFuture.ts"

/** Runs an effect: at once if it needs no fiber, otherwise in a fiber of its own. */
export const runFuture = <A, E>(
  runtime: Runtime.Runtime<never>,
  effect: Effect.Effect<A, E>,
  isUninterruptible = false
): Future<A, E> => {
  const known = isExit(effect) ? effect : exitOf(effect)
  if (known !== undefined) return settledOf(known)
  const fiber = Runtime.runFork(runtime)(effect)
  const exit = fiber.unsafePoll()
  return exit === null ? new Forked(fiber, isUninterruptible) : settledOf(exit)
}

/** Runs an effect that must not be interrupted half-way: an interruption only reaches the continuations. */
export const runFutureUninterruptible = <A, E>(
  runtime: Runtime.Runtime<never>,
  effect: Effect.Effect<A, E>
): Future<A, E> => runFuture(runtime, effect, true)

class Forked<A, E> extends PendingFuture<A, E> {
  readonly #fiber: Fiber.RuntimeFiber<A, E>
  readonly #isUninterruptible: boolean

  constructor(fiber: Fiber.RuntimeFiber<A, E>, isUninterruptible: boolean) {
    super()
    this.#fiber = fiber
    this.#isUninterruptible = isUninterruptible
    fiber.addObserver((exit) => this.end(settledOf(exit)))
  }

  /** Ends when the fiber has ended. */
  override interrupt(): void {
    if (!this.#isUninterruptible) this.#fiber.unsafeInterruptAsFork(this.#fiber.id())
  }
}
