import { Effect } from "effect"

/** Hears how plain code ended: with what is left for a fiber to do, or with nothing. */
export type Ended<E> = (left: Effect.Effect<void, E> | undefined) => void

/** Work of a fiber that plain code does while the fiber waits for something to do, and leaves to it what it can't end. */
export class PlainWork<E> {
  #isUnderWay = false
  #left: Effect.Effect<void, E> | undefined
  #heard: (() => void) | undefined

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  /**
   * @param work says when it has ended; answers false where it could not begin
   * @param over runs when it has: whether something is left
   */
  begin(work: (ended: Ended<E>) => boolean, over: (isLeft: boolean) => void): boolean {
    this.#isUnderWay = true
    const hasBegun = work((left) => {
      this.#isUnderWay = false
      this.#left = left
      if (this.#heard === undefined) over(left !== undefined)
      else this.#heard()
    })
    if (!hasBegun) this.#isUnderWay = false
    return hasBegun
  }

  /** What is left; where there is nothing, the other work. */
  leftOr<E2>(other: Effect.Effect<void, E2>): Effect.Effect<void, E | E2> {
    return Effect.suspend((): Effect.Effect<void, E | E2> => {
      const left = this.#left
      this.#left = undefined
      return left ?? other
    })
  }

  /** Once the fiber has ended: what is under way comes to its end all the same. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    const over = Effect.async<void>((resume) => {
      if (!this.#isUnderWay) return resume(Effect.void)
      this.#heard = () => resume(Effect.void)
    })
    return Effect.zipRight(over, Effect.ignore(this.leftOr(Effect.void)))
  })
}
