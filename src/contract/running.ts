import { Effect, Runtime } from "effect"
import type { Exit, Fiber } from "effect"
import { exitOf } from "./eager.ts"
import { Pending } from "./Pending.ts"

/** Work under way, whoever does it. */
export interface Running<A, E> {
  /** Tells how it ended, at once where it has; the one who asked last is told. */
  readonly hear: (heard: (exit: Exit.Exit<A, E>) => void) => void
  readonly interrupt: () => void
}

/** Runs an effect; one that is `Pending` without a fiber for as long as it needs none. */
export const running = <A, E>(runtime: Runtime.Runtime<never>, effect: Effect.Effect<A, E>): Running<A, E> =>
  effect instanceof Pending ? new Followed(runtime, effect) : new Forked(Runtime.runFork(runtime)(effect))

class Forked<A, E> implements Running<A, E> {
  readonly #fiber: Fiber.RuntimeFiber<A, E>
  #heard: ((exit: Exit.Exit<A, E>) => void) | undefined

  constructor(fiber: Fiber.RuntimeFiber<A, E>) {
    this.#fiber = fiber
  }

  hear(heard: (exit: Exit.Exit<A, E>) => void): void {
    const isFirst = this.#heard === undefined
    this.#heard = heard
    const exit = this.#fiber.unsafePoll()
    if (exit !== null) heard(exit)
    else if (isFirst) this.#fiber.addObserver((end) => this.#heard?.(end))
  }

  interrupt(): void {
    this.#fiber.unsafeInterruptAsFork(this.#fiber.id())
  }
}

class Followed<A, E> implements Running<A, E> {
  readonly #runtime: Runtime.Runtime<never>
  readonly #pending: Pending<A, E>
  /** Does what is left. */
  #rest: Forked<A, E> | undefined

  constructor(runtime: Runtime.Runtime<never>, pending: Pending<A, E>) {
    this.#runtime = runtime
    this.#pending = pending
  }

  hear(heard: (exit: Exit.Exit<A, E>) => void): void {
    if (this.#rest !== undefined) return this.#rest.hear(heard)
    this.#pending.hear((end) => {
      const exit = exitOf(end)
      if (exit !== undefined) return heard(exit)
      this.#rest = new Forked(Runtime.runFork(this.#runtime)(Effect.uninterruptible(end)))
      this.#rest.hear(heard)
    })
  }

  interrupt(): void {
    if (this.#rest === undefined) this.#pending.interrupt()
    else this.#rest.interrupt()
  }
}
