import { Context, Effect, Schema } from "effect"
import { Price } from "../../../config/sections/Model.ts"
import { ModelFacts } from "../../../contract/records/ModelFacts.ts"
import { withCallPrices } from "../callPrices.ts"
import { fromUsd } from "../../../ledger/Price.ts"
import type { Price as LedgerPrice } from "../../../ledger/Price.ts"

/** A model's price in a fetched list, in USD, perhaps in tiers of input: lowest first; and the facts beside it. */
export const ListedPrice = Schema.Struct({
  usd: Price,
  tiers: Schema.optionalWith(Schema.Array(Schema.Struct({ above: Schema.NonNegativeInt, usd: Price })), {
    exact: true
  }),
  facts: Schema.optionalWith(ModelFacts, { exact: true })
})
export type ListedPrice = typeof ListedPrice.Type

/** A fetched list as it is stored, by `provider/model` and by model. */
export interface ListDocument {
  readonly prices: Readonly<Record<string, ListedPrice>>
  /** Prices that moved more than tenfold and are not used, until an operator accepts them. */
  readonly held: Readonly<Record<string, ListedPrice>>
  /**
   * The prices from which moves count: those that an operator accepted, and the first ones of names that the built-in
   * list lacks. Other moves count from the built-in list. Names that the list no longer has keep theirs.
   */
  readonly bases: Readonly<Record<string, ListedPrice>>
  /** The most prices that the list had since an operator accepted it. */
  readonly most: number
}

/** A fetched list that is in use. */
export interface FetchedList {
  /** The address it came from. */
  readonly source: string
  readonly fetchedAtMs: number
  /** The price under `provider/model`, or under a model's name. */
  readonly find: (name: string) => LedgerPrice | undefined
  /** The facts under the same names. */
  readonly factsOf: (name: string) => ModelFacts | undefined
  /** True if the price under that name moved more than tenfold, so that the one before is used. */
  readonly isHeld: (name: string) => boolean
}

export const fetchedList = (
  { held, prices }: Pick<ListDocument, "held" | "prices">,
  { fetchedAtMs, source }: Pick<FetchedList, "source" | "fetchedAtMs">
): FetchedList => ({
  source,
  fetchedAtMs,
  // Callers name models by wildcards, and `constructor` is a name.
  find: (name) => {
    const found = Object.hasOwn(prices, name) ? prices[name] : undefined
    return found === undefined ? undefined : priceListed(name, found)
  },
  factsOf: (name) => (Object.hasOwn(prices, name) ? prices[name]?.facts : undefined),
  isHeld: (name) => Object.hasOwn(held, name)
})

/** @param name `provider/model`, or a model's name */
export const priceListed = (name: string, { tiers, usd }: ListedPrice): LedgerPrice => {
  const slash = name.indexOf("/")
  const provider = slash === -1 ? undefined : name.slice(0, slash)
  return fromUsd(withCallPrices(usd, provider, name.slice(slash + 1)), tiers)
}

/** The fetched list that this process uses; none by default. */
export class FetchedPrices extends Context.Reference<FetchedPrices>()(
  "gateway/catalogue/prices/fetched/FetchedPrices",
  {
    defaultValue: (): Effect.Effect<FetchedList | undefined> => Effect.succeed(undefined)
  }
) {}
