import { Schema } from "effect"
import { dearestVideo, usdOfVideo, variesByVideo } from "./videoPrice.ts"
import type { PricedVideo, PriceInUsd, PriceOfOne } from "./videoPrice.ts"
import { hourTokens } from "../generation/GenerationEvent.ts"
import type { Usage } from "../generation/GenerationEvent.ts"

/**
 * The price of a model. Money is counted in nano-dollars (10⁻⁹ USD): integers that a double represents exactly, up to
 * nine million dollars per account. Products of tokens and rates that may exceed that are computed in bigint.
 */
export interface Price {
  readonly rates: Rates
  /** Rates for requests with more input tokens than `above`, lowest first. */
  readonly tiers: ReadonlyArray<{ readonly above: number; readonly rates: Rates }>
  /** Nano-dollars per web search. */
  readonly search: number
  /** Nano-dollars per second of video; the most of any video if they differ. */
  readonly videoSecond: number
  /** Set if videos differ in price: `priceOfVideo` finds the price of one. */
  readonly ofVideos?: PriceInUsd
  /** The price as JSON without zeros, for usage rows. */
  readonly text: string
  /** True if nothing costs anything. */
  readonly isFree: boolean
}

/** Nano-dollars per million tokens. A video's tokens are output. */
export interface Rates {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** For cache entries that live an hour; `cacheWrite` if absent. */
  readonly cacheWriteHour?: number
  readonly output: number
  readonly reasoning: number
}

/** The usage of a request that is charged. */
export interface Consumption extends Usage {
  /** Frames of video at 24 a second. */
  readonly videoFrames?: number
}

export const fromUsd = (
  usd: PriceInUsd,
  tiers: ReadonlyArray<{ readonly above: number; readonly usd: PriceInUsd }> = []
): Price => {
  const dearest = dearestVideo(usd)
  const terms = {
    rates: rates(dearest),
    tiers: tiers.map((tier) => ({ above: tier.above, rates: rates(dearestVideo(tier.usd)) })),
    search: nanoUsd(usd.per_search ?? 0),
    videoSecond: nanoUsd(dearest.per_second ?? 0)
  }
  const text = JSON.stringify(terms, (key, value: unknown) =>
    (value === 0 && key !== "cacheWriteHour") || (Array.isArray(value) && value.length === 0) ? undefined : value
  )
  return { ...terms, text, isFree: text === freeText, ...(variesByVideo(usd) && { ofVideos: usd }) }
}

/** The price of one video; the same price if all videos cost the same. */
export const priceOfVideo = (price: Price, video: PricedVideo): Price =>
  price.ofVideos === undefined ? price : fromUsd(usdOfVideo(price.ofVideos, video))

/** Parses `Price.text`. Throws a defect if it is invalid. */
export const priceFromText = (text: string): Price => ({ ...decodeText(text), text, isFree: text === freeText })

const Nano = Schema.optionalWith(Schema.Number, { default: () => 0 })
const RatesText = Schema.Struct({
  input: Nano,
  cacheRead: Nano,
  cacheWrite: Nano,
  cacheWriteHour: Schema.optionalWith(Schema.Number, { exact: true }),
  output: Nano,
  reasoning: Nano
})
const PriceText = Schema.Struct({
  rates: RatesText,
  tiers: Schema.optionalWith(Schema.Array(Schema.Struct({ above: Nano, rates: RatesText })), { default: () => [] }),
  search: Nano,
  videoSecond: Nano
})
const decodeText = Schema.decodeSync(Schema.parseJson(PriceText))

const rates = (usd: PriceOfOne): Rates => ({
  input: nanoUsd(usd.input ?? 0),
  cacheRead: nanoUsd(usd.cached_input ?? usd.input ?? 0),
  cacheWrite: nanoUsd(usd.cache_write ?? usd.input ?? 0),
  ...hourRate(nanoUsd(usd.cache_write ?? usd.input ?? 0), usd.cache_write_1h),
  output: nanoUsd(usd.output ?? 0),
  reasoning: nanoUsd(usd.reasoning ?? usd.output ?? 0)
})

/** Set if it differs from the rate of other cache writes. */
const hourRate = (cacheWrite: number, usd: number | undefined): Pick<Rates, "cacheWriteHour"> =>
  usd === undefined || nanoUsd(usd) === cacheWrite ? {} : { cacheWriteHour: nanoUsd(usd) }

/** Dollars to nano-dollars, rounded half up; exact up to nine decimals. */
export const nanoUsd = (usd: number): number => Math.round(Number((usd * 1e9).toPrecision(15)))

/** The text of a price whose rates are all zero. */
const freeText = `{"rates":{}}`

export const free: Price = fromUsd({})

/** The price of a model without one: free, if it may be used at all. Distinguished from `free` by identity. */
export const unpriced: Price = { ...free }

/** Nano-dollars for a request, rounded half up, once. */
export const costOf = (price: Price, used: Consumption): number => {
  if (price.isFree) return 0
  return costAt(ratesFor(price, used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens), price, used)
}

const costAt = (rates: Rates, price: Price, used: Consumption): number => {
  const reasoning = Math.min(used.reasoningTokens, used.outputTokens)
  const { videoFrames = 0 } = used
  const forAnHour = hourTokens(used)
  const parts =
    used.inputTokens * rates.input +
    used.cacheReadTokens * rates.cacheRead +
    (used.cacheWriteTokens - forAnHour) * rates.cacheWrite +
    forAnHour * (rates.cacheWriteHour ?? rates.cacheWrite) +
    (used.outputTokens - reasoning) * rates.output +
    reasoning * rates.reasoning +
    used.searches * price.search * million
  // All terms are positive integers: a safe sum has safe terms.
  if (videoFrames === 0 && parts <= Number.MAX_SAFE_INTEGER - million) {
    const halfUp = parts + million / 2
    return (halfUp - (halfUp % million)) / million
  }
  return exactCost(price, rates, used)
}

const million = 1_000_000

const exactCost = (price: Price, rates: Rates, used: Consumption): number => {
  const times = (count: number, rate: number) => BigInt(count) * BigInt(rate)
  const reasoning = Math.min(used.reasoningTokens, used.outputTokens)
  const forAnHour = hourTokens(used)
  const millionths =
    times(used.inputTokens, rates.input) +
    times(used.cacheReadTokens, rates.cacheRead) +
    times(used.cacheWriteTokens - forAnHour, rates.cacheWrite) +
    times(forAnHour, rates.cacheWriteHour ?? rates.cacheWrite) +
    times(used.outputTokens - reasoning, rates.output) +
    times(reasoning, rates.reasoning) +
    times(used.searches, price.search) * 1_000_000n
  // Per second and 24 frames per second: both parts over one denominator, so that the result is rounded once.
  const sum = millionths * 24n + times(used.videoFrames ?? 0, price.videoSecond) * 1_000_000n
  const denominator = 24_000_000n
  return Number((sum * 2n + denominator) / (denominator * 2n))
}

/** The tier counts the whole input, as the providers' price lists do. */
const ratesFor = (price: Price, inputTokens: number): Rates => {
  let rates = price.rates
  for (const tier of price.tiers) if (inputTokens > tier.above) rates = tier.rates
  return rates
}

/** The maximum cost of a request: its input at the highest input rate, its output at the highest output rate. */
export const mostOf = (
  price: Price,
  bound: { readonly inputTokens: number; readonly outputTokens: number; readonly searches: number }
): number => {
  if (price.isFree) return 0
  const { cacheRead, cacheWrite, cacheWriteHour, input, output, reasoning } = ratesFor(price, bound.inputTokens)
  const dearest = {
    input: Math.max(input, cacheRead, cacheWrite, cacheWriteHour ?? 0),
    output: Math.max(output, reasoning),
    cacheRead,
    cacheWrite,
    reasoning
  }
  return costAt(dearest, price, { ...bound, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 })
}
