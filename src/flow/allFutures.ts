import { Future, Failed } from "./Future.ts"
import type { Settled } from "./Future.ts"
import { PendingFuture } from "./PendingFuture.ts"

/**
 * Runs work concurrently and returns the results in order. The first failure interrupts the rest.
 *
 * @param lost releases a result that is not returned because other work failed
 */
export const allFutures = <A, E>(
  works: ReadonlyArray<Future<A, E>>,
  lost: (value: A) => void
): Future<ReadonlyArray<A>, E> => {
  const whole = new Together(works, lost)
  return whole.settled ?? whole
}

class Together<A, E> extends PendingFuture<ReadonlyArray<A>, E> {
  readonly #works: ReadonlyArray<Future<A, E>>
  readonly #lost: (value: A) => void
  readonly #values = new Map<number, A>()

  constructor(works: ReadonlyArray<Future<A, E>>, lost: (value: A) => void) {
    super()
    this.#works = works
    this.#lost = lost
    for (const [index, work] of works.entries()) work.onDone((end) => this.#done(index, end))
  }

  #done(index: number, end: Settled<A, E>): void {
    if (this.settled !== undefined) {
      if (!(end instanceof Failed)) this.#lost(end.value)
      return
    }
    if (end instanceof Failed) {
      this.end(end)
      this.abandon()
      return
    }
    this.#values.set(index, end.value)
    if (this.#values.size === this.#works.length) {
      this.end(Future.succeed(this.#works.flatMap((_, at) => this.#valueAt(at))))
    }
  }

  #valueAt(index: number): ReadonlyArray<A> {
    const value = this.#values.get(index)
    return value === undefined ? [] : [value]
  }

  protected override abandon(): void {
    for (const value of this.#values.values()) this.#lost(value)
    this.#values.clear()
    for (const work of this.#works) work.interrupt()
  }
}
