import { Effect } from "effect"
import { fromUsd } from "../../ledger/Price.ts"
import type { Price } from "../../ledger/Price.ts"
import type { LengthPrices } from "./Addition.ts"
import { additions } from "./additions.ts"
import { bundledPrice } from "./bundledPrice.ts"
import { withCallPrices } from "./callPrices.ts"
import type { PriceProvider } from "./providers.ts"
import { withVariants } from "./variantPrices.ts"

/** The date of the built-in list: the release of the `@pydantic/genai-prices` version in package.json. */
export const priceListDate = "2026-09-23"

/** The public prices that are shipped. */
export interface BuiltInList {
  /** The provider's id in the list; undefined if the list does not have it. */
  readonly idOf: (provider: PriceProvider) => string | undefined
  /** The price of a model at a provider, or at its maker if the provider is undefined. */
  readonly find: (model: string, provider: string | undefined) => Price | undefined
  /** The context window of a model there, in tokens; undefined if the list does not say it. */
  readonly contextOf: (model: string, provider: string | undefined) => number | undefined
}

/** Loaded on demand, which takes 50 ms. */
export const builtInList: Effect.Effect<BuiltInList> = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice, findProvider }): BuiltInList => ({
    idOf: ({ baseUrl, id }) => {
      if (id !== undefined && providersOfAdditions.has(id)) return id
      return (
        findProvider({ providerApiUrl: baseUrl }) ?? (id === undefined ? undefined : findProvider({ providerId: id }))
      )?.id
    },
    contextOf: (model, provider) =>
      calcPrice({}, model, provider === undefined ? {} : { providerId: provider })?.model.context_window ?? undefined,
    find: (model, provider) => {
      const added = additions.find(
        (one) => one.models.includes(model) && (provider === undefined || one.provider === provider)
      )
      if (added !== undefined) return priceOf({ tiers: [], ...added }, added.provider, model)
      const listed = calcPrice({}, model, provider === undefined ? {} : { providerId: provider })
      return listed === null ? undefined : priceOf(bundledPrice(listed), listed.provider.id, model)
    }
  })
)

const providersOfAdditions = new Set(additions.map(({ provider }) => provider))

const priceOf = (price: LengthPrices, provider: string, model: string): Price => {
  const { tiers, usd } = withVariants(price, provider, model)
  return fromUsd(withCallPrices(usd, provider, model), tiers)
}
