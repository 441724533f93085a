import type { ModelPrice } from "@pydantic/genai-prices"
import { Array, Effect, Either } from "effect"
import { readDocument } from "../config/document.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { PricesFile } from "../config/sections/Model.ts"
import { readText } from "../config/source.ts"
import { free, fromUsd } from "../ledger/Price.ts"
import type { Price, PriceInUsd } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"
import type { ListedRoute, Model, PricedBy } from "./Catalogue.ts"

/** A model's price on one of its routes, and the price's source. */
export interface RoutePrice extends PricedBy {
  readonly route: Route
  /** Undefined if it has no price. */
  readonly price: Price | undefined
}

/**
 * The price of each model on each route: from its entry of the configuration, otherwise from the `prices_file`,
 * otherwise from the public price list, both by the route's model id. The sandbox's models are free.
 */
export const findPrices = Effect.fnUntraced(function* (
  models: ReadonlyMap<string, Model>,
  file: Located<GatewayFile>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<RoutePrice>>, BadSettings> {
  const own = yield* ownPrices(file)
  const isOpen = (model: Model) => model.price === undefined && model.routes.some(isOutside)
  const listed = [...models.values()].some(isOpen) ? yield* priceList : () => undefined
  const find = ({ id, price }: Model, route: Route): Omit<RoutePrice, "route"> => {
    if (price !== undefined) return { price, from: "gateway.yaml", name: id }
    if (!isOutside(route)) return { price: free, from: "sandbox", name: id }
    const { model: name } = route
    return (
      first(name, "prices_file", own) ??
      first(name, "built-in list", listed) ?? { price: undefined, from: "nowhere", name }
    )
  }
  return new Map(
    [...models].map(([id, model]) => [id, model.routes.map((route) => ({ route, ...find(model, route) }))])
  )
})

/** Adds prices to the models' routes. Models without a price are logged. */
export const priced = Effect.fnUntraced(function* (models: ReadonlyMap<string, Model>, file: Located<GatewayFile>) {
  const prices = yield* findPrices(models, file)
  const isAllowed = file.value.unpriced === "allow"
  const { models: whole, routes } = withoutPrice(prices)
  if (whole.length > 0) {
    const who = isAllowed ? "free of charge" : "refused where money is counted"
    yield* Effect.logWarning(`models without a price, ${who}: ${whole.join(", ")}`)
  }
  if (routes.length > 0) {
    const who = isAllowed ? "free of charge" : "not used where money is counted"
    yield* Effect.logWarning(`routes without a price, ${who}: ${routes.join(", ")}`)
  }
  return new Map(
    [...models].map(([id, model]) => [id, { ...model, routes: (prices.get(id) ?? []).map(listedRoute) }] as const)
  )
})

const listedRoute = ({ from, name, price, route }: RoutePrice): ListedRoute => ({
  ...route,
  pricedBy: { from, name },
  ...(price === undefined ? {} : { price })
})

/** Models without a price on any route, and single routes without one. */
const withoutPrice = (prices: ReadonlyMap<string, ReadonlyArray<RoutePrice>>) => {
  const isOpen = ({ price }: RoutePrice) => price === undefined
  const [whole, partly] = Array.partition([...prices], ([, routes]) => !routes.every(isOpen))
  return {
    models: whole.map(([id]) => id),
    routes: partly.flatMap(([id, routes]) =>
      routes.filter(isOpen).map(({ route }) => `${id} at ${route.upstream}/${route.model}`)
    )
  }
}

const isOutside = ({ upstream }: Route): boolean => upstream !== "sandbox"

type Look = (name: string) => Price | undefined

const first = (model: string, from: PricedBy["from"], look: Look): Omit<RoutePrice, "route"> | undefined => {
  for (const name of namesOf(model)) {
    const price = look(name)
    if (price !== undefined) return { price, from, name }
  }
  return undefined
}

/** Hosting prefixes: `models/…` at Google, `vendor/…` at routers, `us.anthropic.…-v1:0` at Bedrock. */
const place = /^(?:models\/|[\w.-]{1,64}\/|(?:[a-z]{2,6}\.)?(?:anthropic|amazon|meta|mistral|deepseek|openai|qwen)\.)/
const revision = /-v\d{1,3}:\d{1,3}$/
/** The suffix of a snapshot: `-20250929`, `-2025-08-07`, `@20250929` or `-latest`. */
const snapshot = /(?:[-@]\d{8}|-\d{4}-\d\d-\d\d|-latest)$/

/**
 * The names under which a model's price may be listed, nearest first: an unlisted snapshot costs as much as its model.
 */
const namesOf = (id: string): ReadonlySet<string> => {
  const plain = id.replace(place, "").replace(revision, "")
  return new Set([id, id.replace(snapshot, ""), plain, plain.replace(snapshot, "")])
}

const ownPrices = Effect.fnUntraced(function* ({
  value: { prices_file: path }
}: Located<GatewayFile>): Effect.fn.Return<Look, BadSettings> {
  if (path === undefined) return () => undefined
  const { value } = yield* Either.flatMap(readText(path), (text) => readDocument(path, text, { env: {} }, PricesFile))
  const prices = new Map(Object.entries(value).map(([name, usd]) => [name, fromUsd(usd)]))
  return (name: string) => prices.get(name)
})

/** The date of the built-in list: the release of the `@pydantic/genai-prices` version in package.json. */
export const priceListDate = "2026-09-23"

/** Loaded on demand, which takes 50 ms. */
const priceList = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice }): Look =>
    (model) => {
      const calculated = calcPrice({}, model)
      return calculated === null ? undefined : listPrice(calculated.model_price)
    }
)

/** A price of the list, in USD per million tokens or per thousand searches, perhaps in tiers of input. */
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
  return fromUsd(at(0), tiers)
}

const perSearch = (perThousand: number | undefined) => (perThousand === undefined ? undefined : perThousand / 1_000)
