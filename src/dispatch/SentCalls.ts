import { noUsage } from "../generation/GenerationEvent.ts"
import type { UnusedCall } from "../ledger/Charge.ts"
import { costOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"
import type { Preparing } from "../upstreams/calls/Preparing.ts"

/** Calls to a route, each of which has read the input. */
interface Calls {
  readonly upstream: string
  readonly price: Price
  readonly count: number
}

interface UnusedCalls extends Calls, Pick<UnusedCall, "outcome"> {}

const none: ReadonlyArray<UnusedCalls> = []

/** The calls that upstreams got: those whose answers are awaited, and those that the gateway gave up. */
export class SentCalls implements Preparing {
  #route: Pick<Calls, "upstream" | "price"> | undefined
  #count = 0
  #givenUp = none

  /** A route is asked. */
  begins(route: Pick<Route, "upstream"> & Pick<Calls, "price">): void {
    this.#route = route
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
    if (gaveUp) this.#givenUp = [...this.#givenUp, ...this.#running("given-up")]
    this.#count = 0
  }

  /** The number of calls whose answers are awaited or used. */
  get count(): number {
    return this.#count
  }

  /** The calls of another route, which ran beside these, are given up. */
  outlast(other: SentCalls): void {
    this.#givenUp = [...this.#givenUp, ...other.#givenUp, ...other.#running("outpaced")]
  }

  /**
   * The calls that were given up and cost the operator something: the price of the input that they have read.
   *
   * @param inputTokens counts the input of one call
   */
  unused(inputTokens: () => number): ReadonlyArray<UnusedCall> {
    return this.#givenUp.flatMap(({ count, outcome, price, upstream }) => {
      if (price.isFree) return []
      const nanoUsd = costOf(price, { ...noUsage, inputTokens: count * inputTokens() })
      return [{ upstream, outcome, price: price.text, nanoUsd }]
    })
  }

  #running(outcome: UnusedCall["outcome"]): ReadonlyArray<UnusedCalls> {
    if (this.#route === undefined || this.#count === 0) return none
    const { price, upstream } = this.#route
    return [{ upstream, price, count: this.#count, outcome }]
  }
}
