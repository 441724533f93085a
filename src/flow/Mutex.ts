import { Deferred, Effect, FiberId } from "effect"

/** Something that one at a time may do: plain code where it is free at once, fibers in the order in which they came. */
export class Mutex {
  #isTaken = false
  #line: Array<() => void> = []

  /** False where somebody has it. */
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

  /** Runs where it is this one's turn, and to its end. Whoever waits for it may leave. */
  whole<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        if (this.tryTake()) return this.rest(work)
        const given = Deferred.unsafeMake<void>(FiberId.none)
        const begin = () => Deferred.unsafeDone(given, Effect.void)
        this.#line.push(begin)
        const leave = Effect.sync(() => {
          const place = this.#line.indexOf(begin)
          // Whoever leaves just when it is given to him passes it on.
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

  /** Runs the rest of what has the turn already, to its end, and gives it. */
  rest<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.onExit(work, () => Effect.sync(() => this.give())))
  }
}
