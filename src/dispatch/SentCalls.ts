import { noUsage } from "../generation/GenerationEvent.ts"
import { costOf } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Preparing } from "../upstreams/Preparing.ts"

/** Calls to a route, each of which has read the input. */
interface Calls {
  readonly price: Price
  readonly count: number
}

const none: ReadonlyArray<Calls> = []

/** The calls that upstreams got: those whose answers are awaited, and those that the gateway gave up. */
export class SentCalls implements Preparing {
  #price: Price | undefined
  #count = 0
  #givenUp = none

  /** A route is asked. */
  begins(price: Price): void {
    this.#price = price
    this.#count = 0
  }

  /** One call is sent. A request for several answers may need one for each. */
  sends(): void {
    this.#count++
  }

  prepares(): () => void {
    this.#count--
    return () => this.sends()
  }

  /** The calls failed. If the gateway gave up waiting, the upstream may bill them. */
  failed(gaveUp: boolean): void {
    if (gaveUp) this.#givenUp = [...this.#givenUp, ...this.#running()]
    this.#count = 0
  }

  /** The number of calls whose answers are awaited or used. */
  get count(): number {
    return this.#count
  }

  /** The calls of another route, which ran beside these, are given up. */
  outlast(other: SentCalls): void {
    this.#givenUp = [...this.#givenUp, ...other.#givenUp, ...other.#running()]
  }

  /**
   * The price of the input that the calls which were given up have read, in nano-dollars: the operator's cost.
   *
   * @param inputTokens counts the input of one call
   */
  givenUpNanoUsd(inputTokens: () => number): number {
    let nanoUsd = 0
    for (const { count, price } of this.#givenUp) {
      if (!price.isFree) nanoUsd += costOf(price, { ...noUsage, inputTokens: count * inputTokens() })
    }
    return nanoUsd
  }

  #running(): ReadonlyArray<Calls> {
    return this.#price === undefined || this.#count === 0 ? none : [{ price: this.#price, count: this.#count }]
  }
}
