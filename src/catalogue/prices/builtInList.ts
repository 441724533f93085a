import type { ModelPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import { fromUsd } from "../../ledger/Price.ts"
import type { Price } from "../../ledger/Price.ts"
import type { PriceInUsd } from "../../ledger/videoPrice.ts"
import { additions } from "./additions.ts"
import type { Addition } from "./Addition.ts"
import { withCallPrices } from "./callPrices.ts"
import type { PriceProvider } from "./providers.ts"

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
      if (added !== undefined) return addedPrice(added, model)
      const listed = calcPrice({}, model, provider === undefined ? {} : { providerId: provider })
      return listed === null ? undefined : listPrice(listed.model_price, listed.provider.id, model)
    }
  })
)

const providersOfAdditions = new Set(additions.map(({ provider }) => provider))

const addedPrice = ({ provider, tiers = [], usd }: Addition, model: string): Price =>
  fromUsd(withCallPrices(usd, provider, model), tiers)

/** A price of the list, in USD per million tokens or per thousand searches, perhaps in tiers of input. */
const listPrice = (entries: ModelPrice, provider: string, model: string): Price => {
  const starts = new Set<number>()
  for (const entry of Object.values(entries)) {
    if (typeof entry === "object") for (const tier of entry.tiers) starts.add(tier.start)
  }
  const at = (inputTokens: number): PriceInUsd => {
    const usd = (key: string): number | undefined => {
      const entry = entries[key]
      if (typeof entry !== "object") return entry
      return entry.tiers
        .toSorted((a, b) => a.start - b.start)
        .reduce((price, tier) => (inputTokens > tier.start ? tier.price : price), entry.base)
    }
    const fields = {
      input: usd("input_mtok"),
      cached_input: usd("cache_read_mtok"),
      cache_write: usd("cache_write_mtok"),
      cache_write_1h: usd("cache_write_1h_mtok"),
      output: usd("output_mtok"),
      reasoning: usd("output_reasoning_mtok"),
      per_search: perSearch(usd("web_searches_kcount"))
    }
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  }
  const tiers = [...starts].sort((a, b) => a - b).map((above) => ({ above, usd: at(above + 1) }))
  const files = perSearch(amountOf(entries["storage_searches_kcount"]))
  const usd = files === undefined ? at(0) : { ...at(0), per_call: { file_search: files } }
  return fromUsd(withCallPrices(usd, provider, model), tiers)
}

const amountOf = (entry: ModelPrice[string]): number | undefined => (typeof entry === "object" ? entry.base : entry)

const perSearch = (perThousand: number | undefined) => (perThousand === undefined ? undefined : perThousand / 1_000)
