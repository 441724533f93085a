import type { Price } from "../ledger/Price.ts"
import type { Hold } from "../ledger/Balances.ts"
import type { Model, PricedRoute } from "../catalogue/Catalogue.ts"
import type { Most } from "./mostUsed.ts"

/** A conversation's model and where its caller may be answered, what it can use and cost there, and what is held for it. */
export interface Quote {
  readonly model: Model
  readonly routes: readonly [PricedRoute, ...ReadonlyArray<PricedRoute>]
  /** How many answers the request wants. */
  readonly answers: number
  /** The most that one of its answers can use. */
  readonly most: () => Most
  readonly mostNanoUsd: (price: Price) => number
  readonly held: (price: Price) => Required<Hold>
}

export const once = <A>(make: () => A) => {
  let known: A | undefined
  return () => (known ??= make())
}
