import type { Price } from "./Price.ts"

/** The places that may answer a request, in order and each at its price. There is one at least. */
export class Offers<A extends { readonly price: Price } = { readonly price: Price }> {
  #all: readonly [A, ...ReadonlyArray<A>]

  constructor(all: readonly [A, ...ReadonlyArray<A>]) {
    this.#all = all
  }

  get all(): readonly [A, ...ReadonlyArray<A>] {
    return this.#all
  }

  get prices(): ReadonlyArray<Price> {
    return this.#all.map(({ price }) => price)
  }

  /** Leaves out the places that ask other prices: they are not asked. One at least must be left. */
  keep(prices: ReadonlyArray<Price>): void {
    const [first, ...others] = this.#all.filter(({ price }) => prices.includes(price))
    if (first !== undefined) this.#all = [first, ...others]
  }
}
