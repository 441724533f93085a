import { Array, Effect } from "effect"
import { readDocument } from "../config/document.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { PricesFile } from "../config/sections/Model.ts"
import { readText } from "../config/source.ts"
import { kindOf } from "../contract/kinds.ts"
import type { ModelFacts } from "../contract/records/ModelFacts.ts"
import { free, fromUsd, withFactor } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { PricedBy } from "../ledger/PriceSource.ts"
import type { Route } from "../routing/Route.ts"
import type { EntryRoute, ModelEntry, ServedModels } from "./Catalogue.ts"
import type { ModelMap } from "./ModelMap.ts"
import { routeFacts } from "./facts/routeFacts.ts"
import { builtInList, priceListDate } from "./prices/builtInList.ts"
import { FetchedPrices } from "./prices/fetched/FetchedList.ts"
import type { FetchedList } from "./prices/fetched/FetchedList.ts"
import { namesOf } from "./prices/names.ts"
import { priceFactorAt } from "./prices/priceFactor.ts"
import { priceProviderOf } from "./prices/providers.ts"
import { servedModel } from "./servedModel.ts"

/** A model's price on one of its routes, and the price's source. */
export interface RoutePrice extends PricedBy {
  readonly route: EntryRoute
  /** Undefined if it has no price. */
  readonly price: Price | undefined
}

/**
 * The price of each model on each route: the route's own, otherwise that of the model's entry, of the `prices_file`, of
 * the fetched list, or of the built-in list. The lists are searched by provider and model, then by model. The sandbox's
 * models are free, and so are those of a kind that usually costs nothing.
 */
export const findPrices = Effect.fnUntraced(function* (
  models: Entries,
  file: Located<GatewayFile>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<RoutePrice>>, BadSettings> {
  const find = yield* priceFinder(models, file, new Map())
  return new Map([...models].map(([id, model]) => [id, model.routes.map((route) => find(model, route))]))
})

type Entries = ServedModels<ModelEntry>

/** Facts by upstream, then by the model's id there. */
export type ListedFacts = ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>

type PriceFinder = (model: ModelEntry, route: EntryRoute) => RoutePrice

/** Reads the lists that the models need. */
const priceFinder = Effect.fnUntraced(function* (
  models: Entries,
  file: Located<GatewayFile>,
  listed: ListedFacts
): Effect.fn.Return<PriceFinder, BadSettings> {
  const own = yield* ownPrices(file)
  const isOpen = (model: ModelEntry) =>
    model.price === undefined && model.routes.some((route) => route.price === undefined && isOutside(route))
  const list = [...models.values(), ...(models.wildcards ?? [])].some(isOpen) ? yield* builtInList : undefined
  const fetched = list === undefined ? undefined : yield* yield* FetchedPrices
  const search = (route: EntryRoute): Omit<RoutePrice, "route"> => {
    const providerId = providerIdOf(route)
    const name = route.knownAs ?? route.model
    const named = (model: string) => (providerId === undefined ? [] : [`${providerId}/${model}`])
    for (const model of namesOf(name)) {
      for (const key of [...named(model), model]) {
        const price = own(key)
        if (price !== undefined) return { price, from: "prices_file", name: key }
      }
    }
    const factored = (price: Price) => withFactor(price, priceFactorAt(file.value, route))
    let isHeld = false
    for (const seller of providerId === undefined ? [undefined] : [providerId, undefined]) {
      for (const model of namesOf(name)) {
        const key = seller === undefined ? model : `${seller}/${model}`
        isHeld ||= fetched?.isHeld(key) === true
        const held = isHeld && { isHeld }
        const known = fetched?.find(key)
        if (known !== undefined)
          return { price: factored(known), from: "fetched list", name: key, ...fetchedOn(fetched), ...held }
        const price = list?.find(model, seller)
        if (price !== undefined)
          return { price: factored(price), from: "built-in list", name: key, asOf: priceListDate, ...held }
      }
    }
    return { price: undefined, from: "nowhere", name }
  }
  const providerIdOf = (route: EntryRoute): string | undefined => {
    const provider = priceProviderOf(file.value, route.upstream)
    return provider === undefined ? undefined : (list?.idOf(provider) ?? provider.id)
  }
  /** A price with those of other models at the same provider: an image tool's, an advisor's. */
  const withOthers = (price: Price, route: EntryRoute): Price =>
    price.isFree ? price : { ...price, others: (model) => search({ ...route, knownAs: model }).price }
  return ({ id, kind, price }, plain) => {
    const told = listed.get(plain.upstream)?.get(plain.model)
    const route = isOutside(plain)
      ? { ...plain, ...routeFacts(plain, providerIdOf(plain), told, { bundled: list, fetched }) }
      : plain
    const written = route.price ?? price
    if (written !== undefined) return { route, price: withOthers(written, route), from: "gateway.yaml", name: id }
    if (!isOutside(route)) return { route, price: free, from: "sandbox", name: id }
    const { price: found, ...source } = search(route)
    return found === undefined && kindOf(kind).isUsuallyFree === true
      ? { route, price: free, from: "built-in list", name: kind, asOf: priceListDate }
      : { route, price: found && withOthers(found, route), ...source }
  }
})

/**
 * The served models of the entries. Those without a price are logged.
 *
 * @param listed the facts of models in upstreams' own lists
 */
export const servedModels = Effect.fnUntraced(function* (
  entries: ModelMap<ModelEntry>,
  file: Located<GatewayFile>,
  listed: ListedFacts = new Map()
) {
  const find = yield* priceFinder(entries, file, listed)
  const ofRoutes = (model: ModelEntry) => model.routes.map((route) => find(model, route))
  const isAllowed = file.value.unpriced === "allow"
  const { models: whole, routes } = withoutPrice(
    new Map([...entries].map(([id, model]) => [id, ofRoutes(model).filter((one) => !isFreeHere(one))]))
  )
  if (whole.length > 0) {
    const who = isAllowed ? "free of charge" : "refused where money is counted"
    yield* Effect.logWarning(`models without a price, ${who}: ${whole.join(", ")}`)
  }
  if (routes.length > 0) {
    const who = isAllowed ? "free of charge" : "not used where money is counted"
    yield* Effect.logWarning(`routes without a price, ${who}: ${routes.join(", ")}`)
  }
  return entries.mapped((entry) => servedModel({ ...entry, routes: ofRoutes(entry).map(listedRoute) }))
})

/** True if it has no price, and its upstream's setting says that it needs none. */
export const isFreeHere = ({
  price,
  route
}: {
  readonly price: Price | undefined
  readonly route: EntryRoute
}): boolean => price === undefined && route.unpriced === "allow"

const listedRoute = ({ price, route, ...pricedBy }: RoutePrice): EntryRoute => ({
  ...route,
  pricedBy,
  ...(price === undefined ? {} : { price })
})

const fetchedOn = (list: FetchedList | undefined) =>
  list !== undefined && { asOf: new Date(list.fetchedAtMs).toISOString().slice(0, 10) }

/** Models without a price on any route, and single routes without one. */
const withoutPrice = (prices: ReadonlyMap<string, ReadonlyArray<RoutePrice>>) => {
  const isOpen = ({ price }: RoutePrice) => price === undefined
  const [whole, partly] = Array.partition([...prices], ([, routes]) => routes.length === 0 || !routes.every(isOpen))
  return {
    models: whole.map(([id]) => id),
    routes: partly.flatMap(([id, routes]) =>
      routes.filter(isOpen).map(({ route }) => `${id} at ${route.upstream}/${route.model}`)
    )
  }
}

const isOutside = ({ upstream }: Route): boolean => upstream !== "sandbox"

type Look = (name: string) => Price | undefined

const ownPrices = Effect.fnUntraced(function* ({
  value: { prices_file: path }
}: Located<GatewayFile>): Effect.fn.Return<Look, BadSettings> {
  if (path === undefined) return () => undefined
  const { value } = yield* Effect.flatMap(readText(path), (text) => readDocument(path, text, { env: {} }, PricesFile))
  const prices = new Map(Object.entries(value).map(([name, usd]) => [name, fromUsd(usd)]))
  return (name: string) => prices.get(name)
})
