import type { Unpriced } from "../contract/callers/Caller.ts"
import { unpriced } from "./Price.ts"
import type { Price } from "./Price.ts"

/** Something that a request may cost and that has no price: the model, or what a field of the request asks for. */
export class Gap {
  /** The path of the field; undefined for the model. */
  readonly param: string | undefined
  readonly value: string

  constructor(param: string | undefined, value: string) {
    this.param = param
    this.value = value
  }
}

/** Decides which offers may be used where money is counted. */
export interface Pricing<A> {
  /** The offer as it may be used, or what it lacks. */
  readonly priced: (offer: A) => A | Gap
}

/** For requests that cost nothing beside their tokens. */
const byModel = {
  priced: <A extends Offer>(offer: A): A | Gap => (offer.price === unpriced ? new Gap(undefined, "model") : offer)
}

/** A route with its price, and its upstream's rule for models without one. */
interface Offer {
  readonly price: Price
  readonly unpriced?: Unpriced
}

/** The routes that may answer a request, in order, each with its price. There is at least one. */
export class Offers<A extends Offer = Offer> {
  /** Replaced by `keep` and `keepPriced` alone. */
  all: readonly [A, ...ReadonlyArray<A>]

  /** Prices of which one must remain; undefined if any may. */
  readonly needed: ReadonlyArray<Price> | undefined

  readonly #pricing: Pricing<A>

  constructor(all: readonly [A, ...ReadonlyArray<A>], needed?: ReadonlyArray<Price>, pricing: Pricing<A> = byModel) {
    this.all = all
    this.needed = needed
    this.#pricing = pricing
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

  /**
   * Removes the routes that lack a price. If all do, it keeps them and returns what the first lacks.
   *
   * @param rule for routes whose upstream has none; undefined if no upstream's counts and each needs a price
   */
  keepPriced(rule: Unpriced | undefined): Gap | undefined {
    const judged = this.all.map((offer) =>
      rule !== undefined && (offer.unpriced ?? rule) === "allow" ? offer : this.#pricing.priced(offer)
    )
    const [first, ...others] = judged.flatMap((one) => (one instanceof Gap ? [] : [one]))
    if (first === undefined) return judged.find((one) => one instanceof Gap)
    this.all = [first, ...others]
    return undefined
  }
}
