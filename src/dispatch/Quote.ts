import type { Served } from "../contract/records/Served.ts"
import type { Price } from "../ledger/Price.ts"
import type { Most } from "./mostUsed.ts"
import type { SharedLimits } from "../ledger/DurableHolds.ts"
import type { Model, PricedRoute } from "../catalogue/Catalogue.ts"

/** A conversation's model and routes, its maximum usage and cost, and the amount of its hold. */
export interface Quote {
  readonly model: Model
  /** The model's limits on tasks; undefined if it has none. */
  readonly modelLimits: SharedLimits | undefined
  readonly routes: readonly [PricedRoute, ...ReadonlyArray<PricedRoute>]
  /** The prices of the model itself, if other models may answer: a hold covers one of them at least. */
  readonly own: ReadonlyArray<Price> | undefined
  /** Other models that the request asks to work for its answer. */
  readonly otherModels: ReadonlyArray<string>
  /** The number of answers. */
  readonly answers: number
  /** The maximum usage of one answer. */
  readonly most: () => Most
  readonly mostNanoUsd: (price: Price) => number
  /** The tier, speed and place that the amounts at a price assume. */
  readonly assumed: (price: Price) => Served
  readonly held: (price: Price) => { readonly nanoUsd: number; readonly because: () => string }
  /** The most tokens of all answers, as far as they are held. */
  readonly heldTokens: () => number
}

export const once = <A>(make: () => A) => {
  let known: A | undefined
  return () => (known ??= make())
}
