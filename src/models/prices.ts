import type { ModelPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import { fromUsd } from "../ledger/Price.ts"
import type { Price, PriceInUsd } from "../ledger/Price.ts"
import type { Model } from "./Catalogue.ts"

/**
 * Says what each model costs that the configuration does not price: the public price list's price for the model that its
 * first route names, else nothing, which is logged. The sandbox's models cost nothing.
 */
export const priced = Effect.fn("priced")(function* (models: ReadonlyMap<string, Model>) {
  const open = [...models.values()].filter((model) => model.price === undefined && outside(model) !== undefined)
  if (open.length === 0) return models
  const listed = yield* priceList
  const prices = new Map(open.map((model) => [model.id, listed(outside(model) ?? model.id)]))
  const free = open.filter((model) => prices.get(model.id) === undefined)
  if (free.length > 0) {
    yield* Effect.logWarning(`models without a price, free of charge: ${free.map((model) => model.id).join(", ")}`)
  }
  return new Map(
    [...models].map(([id, model]) => {
      const price = prices.get(id)
      return [id, price === undefined ? model : { ...model, price }] as const
    })
  )
})

/** What the first upstream beside the sandbox calls the model. */
const outside = (model: Model) => model.routes.find((route) => route.upstream !== "sandbox")?.model

/** Loaded only where it is needed: it takes 50 ms. */
const priceList = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice }) =>
    (model: string): Price | undefined => {
      const found = calcPrice({}, model)
      return found === null ? undefined : listPrice(found.model_price)
    }
)

/** A price of the list, whose entries are USD a million tokens or a thousand searches, perhaps in tiers of input. */
const listPrice = (entries: ModelPrice): Price => {
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
    const known = {
      input: usd("input_mtok"),
      cached_input: usd("cache_read_mtok"),
      cache_write: usd("cache_write_mtok"),
      output: usd("output_mtok"),
      reasoning: usd("output_reasoning_mtok"),
      per_search: perSearch(usd("web_searches_kcount"))
    }
    return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
  }
  const tiers = [...starts].sort((a, b) => a - b).map((above) => ({ above, usd: at(above + 1) }))
  return fromUsd(at(0), tiers)
}

const perSearch = (perThousand: number | undefined) => (perThousand === undefined ? undefined : perThousand / 1_000)
