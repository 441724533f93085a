import type { Price } from "../ledger/Price.ts"
import type { Hold } from "../ledger/Balances.ts"
import type { Model } from "./Catalogue.ts"
import type { Most } from "./mostUsed.ts"

/** A conversation's model and price, what it can use and cost at most, and what is held for it. */
export interface Quote {
  readonly model: Model
  readonly price: Price
  readonly most: () => Most
  readonly mostNanoUsd: () => number
  readonly held: () => Required<Hold>
}

export const once = <A>(make: () => A) => {
  let known: A | undefined
  return () => (known ??= make())
}
