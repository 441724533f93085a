import type { ModelPrice } from "@pydantic/genai-prices"
import { Effect, Either } from "effect"
import { readDocument } from "../config/document.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { PricesFile } from "../config/sections/Model.ts"
import { readText } from "../config/source.ts"
import { free, fromUsd } from "../ledger/Price.ts"
import type { Price, PriceInUsd } from "../ledger/Price.ts"
import type { Model, PricedBy } from "./Catalogue.ts"

/** A price, and where it comes from. */
export interface Found extends PricedBy {
  /** undefined where nobody has priced it. */
  readonly price: Price | undefined
}

/**
 * What each model costs, and who says so: the configuration, else its `prices_file`, else the public price list, both
 * by the name that its first upstream has for it. The sandbox's models cost nothing.
 */
export const findPrices = Effect.fnUntraced(function* (
  models: ReadonlyMap<string, Model>,
  file: Located<GatewayFile>
): Effect.fn.Return<ReadonlyMap<string, Found>, BadSettings> {
  const own = yield* ownPrices(file)
  const isOpen = (model: Model) => model.price === undefined && outside(model) !== undefined
  const listed = [...models.values()].some(isOpen) ? yield* priceList : () => undefined
  const find = (model: Model): Found => {
    const name = outside(model)
    if (model.price !== undefined) return { price: model.price, from: "gateway.yaml", name: model.id }
    if (name === undefined) return { price: free, from: "sandbox", name: model.id }
    return (
      first(name, "prices_file", own) ??
      first(name, "built-in list", listed) ?? { price: undefined, from: "nowhere", name }
    )
  }
  return new Map([...models].map(([id, model]) => [id, find(model)]))
})

/** The models with their prices. Those that nobody has priced are logged. */
export const priced = Effect.fnUntraced(function* (models: ReadonlyMap<string, Model>, file: Located<GatewayFile>) {
  const found = yield* findPrices(models, file)
  const open = [...found].flatMap(([id, { price }]) => (price === undefined ? [id] : []))
  if (open.length > 0) {
    const who = file.value.unpriced === "allow" ? "free of charge" : "refused where money is counted"
    yield* Effect.logWarning(`models without a price, ${who}: ${open.join(", ")}`)
  }
  return new Map(
    [...models].map(([id, model]) => {
      const one = found.get(id)
      if (one === undefined) return [id, model] as const
      const { from, name, price } = one
      return [id, { ...model, pricedBy: { from, name }, ...(price === undefined ? {} : { price }) }] as const
    })
  )
})

/** What the first upstream beside the sandbox calls the model. */
const outside = (model: Model) => model.routes.find((route) => route.upstream !== "sandbox")?.model

type Look = (name: string) => Price | undefined

const first = (model: string, from: Found["from"], look: Look): Found | undefined => {
  for (const name of namesOf(model)) {
    const price = look(name)
    if (price !== undefined) return { price, from, name }
  }
  return undefined
}

/** Who serves it where: `models/…` at Google, `vendor/…` at routers, `us.anthropic.…-v1:0` at Bedrock. */
const place = /^(?:models\/|[\w.-]{1,64}\/|(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen)\.)/
const revision = /-v\d{1,3}:\d{1,3}$/
/** A snapshot of a model: `-20250929`, `-2025-08-07`, `@20250929`, or whichever is the latest. */
const snapshot = /(?:[-@]\d{8}|-\d{4}-\d\d-\d\d|-latest)$/

/** The names under which a model's price may stand, nearest first: a snapshot costs what its model does unless it is listed. */
const namesOf = (id: string): ReadonlySet<string> => {
  const plain = id.replace(place, "").replace(revision, "")
  return new Set([id, id.replace(snapshot, ""), plain, plain.replace(snapshot, "")])
}

const ownPrices = Effect.fnUntraced(function* ({
  value: { prices_file: path }
}: Located<GatewayFile>): Effect.fn.Return<Look, BadSettings> {
  if (path === undefined) return () => undefined
  const { value } = yield* Either.flatMap(readText(path), (text) => readDocument(path, text, {}, PricesFile))
  const prices = new Map(Object.entries(value).map(([name, usd]) => [name, fromUsd(usd)]))
  return (name: string) => prices.get(name)
})

/** When the built-in list was made: the day on which the version of `@pydantic/genai-prices` that stands in package.json came out. */
export const priceListDate = "2026-09-23"

/** Loaded only where it is needed: it takes 50 ms. */
const priceList = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice }): Look =>
    (model) => {
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
      cache_write_1h: usd("cache_write_1h_mtok"),
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
