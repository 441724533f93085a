import type { ModelPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import { free, fromUsd } from "../ledger/Price.ts"
import type { Price, PriceInUsd } from "../ledger/Price.ts"
import type { Model } from "./Catalogue.ts"

/**
 * Says what each model costs: the configuration's price, else the public price list's for the model its first route
 * names, else nothing. The sandbox costs nothing unless it is priced. Which is which is logged, once.
 *
 * @param configured by the model's id, as callers know it
 */
export const priced = Effect.fn("priced")(function* (
  models: ReadonlyMap<string, Model>,
  configured: ReadonlyMap<string, PriceInUsd>
) {
  const unpriced = [...models.values()].filter((model) => !configured.has(model.id) && runsOutside(model))
  const listed = unpriced.length === 0 ? noPrice : yield* priceList
  const found = new Map<string, Model>()
  const freeOfCharge: Array<string> = []
  for (const model of models.values()) {
    const usd = configured.get(model.id)
    const price = usd === undefined ? (runsOutside(model) ? listed(model) : free) : fromUsd(usd)
    if (price === undefined && runsOutside(model)) freeOfCharge.push(model.id)
    found.set(model.id, { ...model, price: price ?? free })
  }
  if (freeOfCharge.length > 0) {
    yield* Effect.logWarning(`models without a price, free of charge: ${freeOfCharge.join(", ")}`)
  }
  return found
})

const runsOutside = (model: Model) => model.routes.some((route) => route.upstream !== "sandbox")

const noPrice = (): Price | undefined => undefined

/** Loaded only where it is needed: it takes 50 ms. */
const priceList = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice }) =>
    (model: Model): Price | undefined => {
      const route = model.routes.find((one) => one.upstream !== "sandbox")
      const found = route === undefined ? null : calcPrice({}, route.model)
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
      search: perSearch(usd("web_searches_kcount"))
    }
    return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
  }
  const tiers = [...starts].sort((a, b) => a - b).map((above) => ({ above, usd: at(above + 1) }))
  return fromUsd(at(0), tiers)
}

const perSearch = (perThousand: number | undefined) => (perThousand === undefined ? undefined : perThousand / 1_000)
