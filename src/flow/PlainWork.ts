import { Effect } from "effect"

/** Called when plain code ends, with the work that it leaves to a fiber, if any. */
export type Ended<E> = (left: Effect.Effect<void, E> | undefined) => void

/** Plain code that works for an idle fiber and leaves to it what it cannot finish. */
export class PlainWork<E> {
  #isUnderWay = false
  #left: Effect.Effect<void, E> | undefined
  #onEnd: (() => void) | undefined

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /**
   * @param work calls back when it has ended; returns false if it could not begin
   * @param finished called after that, with true if work is left
   */
  begin(work: (ended: Ended<E>) => boolean, finished: (isLeft: boolean) => void): boolean {
    this.#isUnderWay = true
    const hasBegun = work((left) => {
      this.#isUnderWay = false
      this.#left = left
      if (this.#onEnd === undefined) finished(left !== undefined)
      else this.#onEnd()
    })
    if (!hasBegun) this.#isUnderWay = false
    return hasBegun
  }

  /** The work that is left; otherwise the other work. */
  leftOr<E2>(other: Effect.Effect<void, E2>): Effect.Effect<void, E | E2> {
    return Effect.suspend((): Effect.Effect<void, E | E2> => {
      const left = this.#left
      this.#left = undefined
      return left ?? other
    })
  }

  /** Waits, once the fiber has ended, until running work has ended too. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    const finished = Effect.async<void>((resume) => {
      if (!this.#isUnderWay) return resume(Effect.void)
      this.#onEnd = () => resume(Effect.void)
    })
    return Effect.zipRight(finished, Effect.ignore(this.leftOr(Effect.void)))
  })
}
