import { Deferred, Effect, FiberId } from "effect"

/** A lock. Plain code takes it if it is free; fibers wait for it in order. */
export class Mutex {
  #isTaken = false
  #line: Array<() => void> = []

  /** Returns false if the lock is taken. */
  tryTake(): boolean {
    if (this.#isTaken) return false
    this.#isTaken = true
    return true
  }

  give(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }

  /** Waits for the lock, interruptibly, then runs to the end. */
  whole<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        if (this.tryTake()) return this.rest(work)
        const given = Deferred.unsafeMake<void>(FiberId.none)
        const begin = () => Deferred.unsafeDone(given, Effect.void)
        this.#line.push(begin)
        const leave = Effect.sync(() => {
          const place = this.#line.indexOf(begin)
          // Interrupted just as the lock was handed over: pass it on.
          if (place === -1) this.give()
          else this.#line.splice(place, 1)
        })
        return Effect.zipRight(
          Effect.onInterrupt(restore(Deferred.await(given)), () => leave),
          this.rest(work)
        )
      })
    )
  }

  /** Runs to the end while the lock is already held, then releases it. */
  rest<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.onExit(work, () => Effect.sync(() => this.give())))
  }
}
