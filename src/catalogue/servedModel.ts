import { noUsage } from "../generation/GenerationEvent.ts"
import { unpriced } from "../ledger/Price.ts"
import { costOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import { partOf } from "../routing/Route.ts"
import { mergedBounds } from "../upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../upstreams/videos/VideoBounds.ts"
import type { EntryRoute, Model, ModelEntry } from "./Catalogue.ts"
import { mostOutput } from "./outputLimits.ts"
import { knownVideoBounds } from "./videoBounds.ts"

/** The model of an entry, with the price and the limits of each route. */
export const servedModel = (entry: ModelEntry): Model => {
  const { price, routes, ...described } = entry
  const served = routes.map((route) => ({
    ...route,
    part: partOf(route),
    price: route.price ?? price ?? unpriced,
    outputLimit: mostOutput(entry, route),
    ...(entry.kind === "video" && { video: videoOf(entry, route) })
  }))
  return { ...described, routes: entry.prefer === "cheapest" ? cheapestFirst(served) : served }
}

/** The configuration knows better than the table. */
const videoOf = ({ aliasOf, id, resolutions }: ModelEntry, route: EntryRoute): SomeVideoBounds =>
  mergedBounds(
    { ...knownVideoBounds(aliasOf ?? id, route), ...(resolutions !== undefined && { resolutions }) },
    route.video ?? {}
  )

/** By the price of a usual request: three tokens of input for each of output. Routes without a price come last. */
const cheapestFirst = <R extends { readonly price: Price }>(routes: ReadonlyArray<R>): ReadonlyArray<R> => {
  const costs = new Map(
    routes.map((route) => [route, route.price === unpriced ? Infinity : costOf(route.price, usualRequest)] as const)
  )
  return routes.toSorted((one, other) => (costs.get(one) ?? 0) - (costs.get(other) ?? 0))
}

const usualRequest = { ...noUsage, inputTokens: 3_000, outputTokens: 1_000, videoFrames: 24 }
