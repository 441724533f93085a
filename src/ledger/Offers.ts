import type { Price } from "./Price.ts"

/** The routes that may answer a request, in order, each with its price. There is at least one. */
export class Offers<A extends { readonly price: Price } = { readonly price: Price }> {
  /** Replaced by `keep` alone. */
  all: readonly [A, ...ReadonlyArray<A>]

  /** Prices of which one must remain; undefined if any may. */
  readonly needed: ReadonlyArray<Price> | undefined

  constructor(all: readonly [A, ...ReadonlyArray<A>], needed?: ReadonlyArray<Price>) {
    this.all = all
    this.needed = needed
  }

  get prices(): ReadonlyArray<Price> {
    return this.all.map(({ price }) => price)
  }

  /** True if an answer may cost something. */
  get mayCost(): boolean {
    return this.all.some(({ price }) => !price.isFree)
  }

  /** Removes routes with other prices. At least one must remain. */
  keep(prices: ReadonlyArray<Price>): void {
    const [first, ...others] = this.all.filter(({ price }) => prices.includes(price))
    if (first !== undefined) this.all = [first, ...others]
  }
}
