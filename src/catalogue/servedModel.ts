import { noUsage } from "../generation/GenerationEvent.ts"
import { unpriced } from "../ledger/Price.ts"
import { costOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import { partOf } from "../routing/Route.ts"
import { knownFacts } from "../contract/records/ModelFacts.ts"
import { mergedBounds } from "../upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../upstreams/videos/VideoBounds.ts"
import type { EntryRoute, Model, ModelEntry } from "./Catalogue.ts"
import { modelFacts } from "./facts/modelFacts.ts"
import { mostAsked, mostOutput } from "./outputLimits.ts"
import { knownVideoBounds } from "./videoBounds.ts"

/** The model of an entry, with the price and the limits of each route. */
export const servedModel = (entry: ModelEntry): Model => {
  const { price, routes, told, ...described } = entry
  const served = routes.map((route) => ({
    ...route,
    part: partOf(route),
    price: route.price ?? price ?? unpriced,
    outputLimit: mostAsked(entry, route) ?? listedLimit(entry, route),
    mostWritten: mostOutput(entry, route) ?? listedLimit(entry, route),
    ...(entry.kind === "video" && { video: videoOf(entry, route) })
  }))
  const facts = modelFacts(
    knownFacts({ ...told, context_tokens: entry.contextTokens, max_output_tokens: entry.maxOutputTokens }),
    served.map(({ facts, mostWritten }) =>
      knownFacts({ ...facts, max_output_tokens: mostWritten ?? facts?.max_output_tokens })
    )
  )
  const longestInput = longestOf(served)
  return { ...described, facts, longestInput, routes: entry.prefer === "cheapest" ? cheapestFirst(served) : served }
}

const longestOf = (routes: ReadonlyArray<EntryRoute>): number | undefined => {
  const longest = Math.max(
    ...routes.map(({ bounding }) => bounding?.max_input_tokens ?? bounding?.context_tokens ?? Infinity)
  )
  return Number.isFinite(longest) ? longest : undefined
}

/** A list may be stale: in strict mode, where more output is refused, it does not count. */
const listedLimit = ({ strict }: ModelEntry, { bounding }: EntryRoute): number | undefined =>
  strict === true ? undefined : bounding?.max_output_tokens

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
