import { Schema } from "effect"
import { dearestVideo, usdOfVideo, variesByVideo } from "./videoPrice.ts"
import type { PricedVideo, PriceInUsd } from "./videoPrice.ts"
import { hostedCalls, isHostedCall } from "../contract/records/HostedCall.ts"
import type { HostedCall } from "../contract/records/HostedCall.ts"
import type { Demand } from "../generation/Demand.ts"
import type { Served } from "../contract/records/Served.ts"
import { word } from "../contract/records/Service.ts"
import { isPieceMeasure, pieceMeasures } from "../contract/records/measures.ts"
import { measures } from "../contract/records/measureTable.ts"
import { dearestImage, priceOfImage } from "./imagePrice.ts"
import { nano, nanoUsd, optionalNano } from "./nanoUsd.ts"
import type { CallPrice, CallPrices, PiecePrices } from "./priceTerms.ts"
import { ratesOf, StepsText } from "./rates.ts"
import type { Steps } from "./rates.ts"
import { apply, hasVariant, hourlyFactor, stepsOf, varyingOf, VaryingText } from "./variants.ts"
import type { Varying } from "./variants.ts"

/**
 * The price of a model. Money is counted in nano-dollars (10⁻⁹ USD): integers that a double represents exactly, up to
 * nine million dollars per account. Products of tokens and rates that may exceed that are computed in bigint.
 */
export interface Price extends Steps {
  /** The tiers, places and hours that have other rates; absent if none has. */
  readonly varying?: Varying
  /** Nano-dollars per web search. */
  readonly search: number
  /** True if an answer costs one search at most. */
  readonly isSearchOnce?: true
  /** False if it has no price of searches: they cost nothing, where they are allowed. */
  readonly hasSearch: boolean
  /** The prices of other tools that the provider runs; absent if it has none. */
  readonly calls?: CallPrices
  /** Nano-dollars a piece; absent if it has none. */
  readonly pieces?: PiecePrices
  /** Nano-dollars per request. */
  readonly request?: number
  /** True if a request costs what the provider says it charged; the rates are for holds. */
  readonly told?: true
  /**
   * The prices of other models that may work for this one's answers, at the same provider. Of a price that was read
   * from a text: of those that the text names.
   */
  readonly others?: (model: string) => Price | undefined
  /** Nano-dollars per second of video; the most of any video if they differ. */
  readonly videoSecond: number
  /** Set if videos differ in price: `priceOfVideo` finds the price of one. */
  readonly ofVideos?: PriceInUsd
  /** The price as JSON without zeros, for usage rows. */
  readonly text: string
  /** True if nothing costs anything. */
  readonly isFree: boolean
}

export const fromUsd = (
  usd: PriceInUsd,
  tiers: ReadonlyArray<{ readonly above: number; readonly usd: PriceInUsd }> = []
): Price => {
  const dearest = dearestVideo(usd)
  const varying = varyingOf(usd)
  const own = stepsOf(dearest)
  const search = callPrice(usd.per_call?.web_search ?? usd.per_search)
  const calls = callPrices(usd)
  const pieces = piecePrices(usd)
  const terms = {
    rates: own.rates,
    tiers:
      tiers.length === 0
        ? own.tiers
        : tiers.map((tier) => ({ above: tier.above, rates: ratesOf(dearestVideo(tier.usd)) })),
    ...(varying !== undefined && { varying }),
    search: search?.nanoUsd ?? 0,
    ...(search?.isOnce === true && { isSearchOnce: search.isOnce }),
    ...(calls !== undefined && { calls }),
    ...(pieces !== undefined && { pieces }),
    ...(usd.per_request !== undefined && usd.per_request > 0 && { request: nanoUsd(usd.per_request) }),
    ...(usd.told === true && { told: usd.told }),
    videoSecond: nanoUsd(dearest.per_second ?? 0)
  }
  const text = textOf(terms)
  const ofVideos = variesByVideo(usd) && { ofVideos: usd }
  return { ...terms, text, isFree: text === freeText, hasSearch: search !== undefined, ...ofVideos }
}

/** A price with a factor of all rates of tokens, beside those that it has. */
export const withFactor = (price: Price, factor: number): Price => {
  if (factor === 1 || price.isFree) return price
  const { hasSearch, isFree, ofVideos, others, text: _, ...terms } = price
  const product = Number(((terms.varying?.factor ?? 1) * factor).toPrecision(15))
  const scaled = { ...terms, varying: { ...terms.varying, factor: product } }
  return {
    ...scaled,
    text: textOf(scaled),
    hasSearch,
    isFree,
    ...(ofVideos && { ofVideos: { ...ofVideos, factor: product } }),
    ...(others && { others })
  }
}

/** The members that are 0 where they are absent. A factor, midnight and Sunday are zeros that count. */
const zeros: ReadonlySet<string> = new Set([
  "input",
  "cacheRead",
  "cacheWrite",
  "output",
  "reasoning",
  "above",
  "search",
  "nanoUsd",
  "videoSecond"
])

const textOf = (terms: object): string =>
  JSON.stringify(terms, (key, value: unknown) =>
    (value === 0 && zeros.has(key)) || (Array.isArray(value) && value.length === 0) ? undefined : value
  )

/** True if the price covers a dimension, so that a request may ask for it where money is counted. */
export const covers = (price: Price, { model, of, value }: Pick<Demand, "model" | "of" | "value">): boolean => {
  const { calls, hasSearch, isFree, others, pieces, rates, varying } = price
  if (of === "web_search") return hasSearch
  // At the model's own rates.
  if (of === "compaction") return true
  if (of === "audio" || of === "image") return rates[of] !== undefined
  if (of === "long_cache") return value !== "12h" || rates.cacheWriteHalfDay !== undefined
  if (of === "other_model") return others?.(model ?? value) !== undefined
  // No factor of nothing is something.
  if (of === "service_tier" || of === "speed" || of === "inference_geo") return isFree || hasVariant(varying, of, value)
  if (of === "image_generation" && model !== undefined && isByTokens(others?.(model))) return true
  // Some charge for the piece, some for its tokens.
  if (isPieceMeasure(of)) return isFree || rates.input > 0 || pieces?.[of] !== undefined
  return isHostedCall(of) && calls?.[of] !== undefined
}

/** True for the price of a model whose images a tool may bill: by tokens, not by the image. */
const isByTokens = (price: Price | undefined): boolean =>
  price !== undefined && (price.isFree || price.rates.output > 0 || (price.rates.image?.output ?? 0) > 0)

/** The price of one video; the same price if all videos cost the same. */
export const priceOfVideo = (price: Price, video: PricedVideo): Price =>
  price.ofVideos === undefined ? price : fromUsd(usdOfVideo(price.ofVideos, video))

/** Parses `Price.text`. Throws a defect if it is invalid. */
export const priceFromText = (text: string): Price => {
  const { others, ...terms } = decodeText(text)
  const price = fromTerms(terms, text)
  if (others === undefined) return price
  const prices = new Map(Object.entries(others).map(([model, other]) => [model, fromTerms(other, textOf(other))]))
  return { ...price, others: (model) => prices.get(model) }
}

const fromTerms = (terms: typeof PriceTerms.Type, text: string): Price => ({
  ...terms,
  text,
  isFree: text === freeText,
  hasSearch: terms.search > 0
})

/** A price's text with those of other models, so that what they do for an answer can be priced from it alone. */
export const textWith = ({ isFree, text }: Price, others: ReadonlyMap<string, Price>): string =>
  isFree || others.size === 0
    ? text
    : `${text.slice(0, -1)},"others":{${[...others].map(([model, other]) => `${JSON.stringify(model)}:${other.text}`).join()}}}`

const PriceTerms = Schema.Struct({
  ...StepsText.fields,
  varying: Schema.optionalWith(VaryingText, { exact: true }),
  request: optionalNano,
  told: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  search: nano,
  isSearchOnce: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  calls: Schema.optionalWith(
    Schema.partialWith(
      Schema.Record({
        key: Schema.Literal(...hostedCalls),
        value: Schema.Struct({ nanoUsd: nano, isOnce: Schema.optionalWith(Schema.Literal(true), { exact: true }) })
      }),
      { exact: true }
    ),
    { exact: true }
  ),
  pieces: Schema.optionalWith(
    Schema.partialWith(Schema.Record({ key: Schema.Literal(...pieceMeasures), value: Schema.Number }), { exact: true }),
    { exact: true }
  ),
  videoSecond: nano
})
const PriceText = Schema.Struct({
  ...PriceTerms.fields,
  others: Schema.optionalWith(Schema.Record({ key: Schema.String, value: PriceTerms }), { exact: true })
})
const decodeText = Schema.decodeSync(Schema.parseJson(PriceText))

const callPrices = ({ per_call: written }: PriceInUsd): CallPrices | undefined => {
  const found = hostedCalls.flatMap((call) => {
    const price = call === "web_search" ? undefined : callPrice(written?.[call])
    return price === undefined ? [] : [[call, price] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

const piecePrices = (usd: PriceInUsd): PiecePrices | undefined => {
  const found = pieceMeasures.flatMap((measure) => {
    const price = measure === "images" ? dearestImage(usd.per_image) : usd[measures[measure].price]
    return price === undefined || price === 0 ? [] : [[measure, nanoUsd(price)] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

type WrittenCall = NonNullable<PriceInUsd["per_call"]>[HostedCall]

const callPrice = (written: WrittenCall): CallPrice | undefined => {
  if (written === undefined) return undefined
  const { once = false, usd } = typeof written === "number" ? { usd: written } : written
  return { nanoUsd: nanoUsd(usd), ...(once && { isOnce: true }) }
}

/** The text of a price whose rates are all zero. */
const freeText = `{"rates":{}}`

export const free: Price = fromUsd({})

/** The price of a model without one: free, if it may be used at all. Distinguished from `free` by identity. */
export const unpriced: Price = { ...free }

/** A price as it applies to an answer, with what it was served as that has no price of its own (`service_tier=scale`). */
export interface AppliedPrice {
  readonly price: Price
  readonly gap?: string
}

/**
 * The price of an answer as it was served: its text explains the row.
 *
 * @param atMs when the request arrived; undefined: at the dearest hour
 */
export const priceAs = (price: Price, told: Served | undefined, atMs: number | undefined): AppliedPrice => {
  if (price.isFree || (price.varying === undefined && told === undefined)) return { price }
  const served = told && shortened(told)
  const key = JSON.stringify([served, hourlyFactor(price.varying, atMs)])
  const known = applied.get(price) ?? new Map<string, AppliedPrice>()
  applied.set(price, known)
  const before = known.get(key)
  if (before !== undefined) return before
  const found = applyTo(price, served, atMs)
  if (known.size >= mostApplied) known.clear()
  known.set(key, found)
  return found
}

/** Words of an upstream, as rows store them: their prices are remembered. */
const shortened = ({ geo, image, speed, tier }: Served): Served => ({
  ...(image !== undefined && { image: word(image) }),
  ...(tier !== undefined && { tier: word(tier) }),
  ...(speed !== undefined && { speed: word(speed) }),
  ...(geo !== undefined && { geo: word(geo) })
})

/** Prices as they were applied: most answers of a model are served alike, and the text costs ten times as much as a look. */
const applied = new WeakMap<Price, Map<string, AppliedPrice>>()
/** Upstreams choose their words. */
const mostApplied = 64

const applyTo = (price: Price, served: Served | undefined, atMs: number | undefined): AppliedPrice => {
  const { factors, gap, steps } = apply(price, price.varying ?? {}, served ?? {}, atMs)
  const missing = gap === undefined ? {} : { gap: word(gap) }
  if (price.varying === undefined) return { price, ...missing }
  const { hasSearch, isFree, ofVideos: _, others, text: __, varying: ___, ...terms } = price
  const images = price.varying.images && priceOfImage(price.varying.images, served?.image ?? "")
  const { rates, tiers } = steps
  const as = { ...terms, rates, tiers, ...(images !== undefined && { pieces: { ...terms.pieces, images } }) }
  return {
    price: { ...as, text: textOf({ ...as, factors }), hasSearch, isFree, ...(others !== undefined && { others }) },
    ...missing
  }
}
