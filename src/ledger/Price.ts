import { Schema } from "effect"
import { dearestVideo, usdOfVideo, variesByVideo } from "./videoPrice.ts"
import type { PricedVideo, PriceInUsd, PriceOfOne } from "./videoPrice.ts"
import { hostedCalls, isHostedCall } from "../contract/HostedCall.ts"
import type { HostedCall } from "../contract/HostedCall.ts"
import type { Dimension } from "../generation/Demand.ts"
import { hourTokens, inputOf } from "../generation/GenerationEvent.ts"
import type { CallCounts, Usage } from "../generation/GenerationEvent.ts"

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
  /** True if an answer costs one search at most. */
  readonly isSearchOnce?: true
  /** False if it has no price of searches: they cost nothing, where they are allowed. */
  readonly hasSearch: boolean
  /** The prices of other tools that the provider runs; absent if it has none. */
  readonly calls?: CallPrices
  /** Nano-dollars per second of video; the most of any video if they differ. */
  readonly videoSecond: number
  /** Set if videos differ in price: `priceOfVideo` finds the price of one. */
  readonly ofVideos?: PriceInUsd
  /** The price as JSON without zeros, for usage rows. */
  readonly text: string
  /** True if nothing costs anything. */
  readonly isFree: boolean
}

type CallPrices = Readonly<Partial<Record<HostedCall, CallPrice>>>

/** Nano-dollars a call, or an answer with calls. */
interface CallPrice {
  readonly nanoUsd: number
  readonly isOnce?: true
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
  const search = callPrice(usd.per_call?.web_search ?? usd.per_search)
  const calls = callPrices(usd)
  const terms = {
    rates: rates(dearest),
    tiers: tiers.map((tier) => ({ above: tier.above, rates: rates(dearestVideo(tier.usd)) })),
    search: search?.nanoUsd ?? 0,
    ...(search?.isOnce === true && { isSearchOnce: search.isOnce }),
    ...(calls !== undefined && { calls }),
    videoSecond: nanoUsd(dearest.per_second ?? 0)
  }
  const text = JSON.stringify(terms, (key, value: unknown) =>
    (value === 0 && key !== "cacheWriteHour") || (Array.isArray(value) && value.length === 0) ? undefined : value
  )
  const ofVideos = variesByVideo(usd) && { ofVideos: usd }
  return { ...terms, text, isFree: text === freeText, hasSearch: search !== undefined, ...ofVideos }
}

/** True if the price covers a dimension, so that a request may ask for it where money is counted. */
export const covers = ({ calls, hasSearch }: Price, of: Dimension): boolean => {
  if (of === "web_search") return hasSearch
  // At the model's own rates.
  if (of === "compaction") return true
  return isHostedCall(of) && calls?.[of] !== undefined
}

/** The price of one video; the same price if all videos cost the same. */
export const priceOfVideo = (price: Price, video: PricedVideo): Price =>
  price.ofVideos === undefined ? price : fromUsd(usdOfVideo(price.ofVideos, video))

/** Parses `Price.text`. Throws a defect if it is invalid. */
export const priceFromText = (text: string): Price => {
  const terms = decodeText(text)
  return { ...terms, text, isFree: text === freeText, hasSearch: terms.search > 0 }
}

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
  isSearchOnce: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  calls: Schema.optionalWith(
    Schema.partialWith(
      Schema.Record({
        key: Schema.Literal(...hostedCalls),
        value: Schema.Struct({ nanoUsd: Nano, isOnce: Schema.optionalWith(Schema.Literal(true), { exact: true }) })
      }),
      { exact: true }
    ),
    { exact: true }
  ),
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

const callPrices = ({ per_call: written }: PriceInUsd): CallPrices | undefined => {
  const found = hostedCalls.flatMap((call) => {
    const price = call === "web_search" ? undefined : callPrice(written?.[call])
    return price === undefined ? [] : [[call, price] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

type WrittenCall = NonNullable<PriceInUsd["per_call"]>[HostedCall]

const callPrice = (written: WrittenCall): CallPrice | undefined => {
  if (written === undefined) return undefined
  const { once = false, usd } = typeof written === "number" ? { usd: written } : written
  return { nanoUsd: nanoUsd(usd), ...(once && { isOnce: true }) }
}

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
  const rates = ratesFor(price, inputOf(used))
  const { besides } = used
  if (besides === undefined) return costAt(rates, price, used)
  // Each has an input of its own, and so perhaps rates of its own.
  const parts = besides.map((one) => exactParts(price, ratesFor(price, inputOf(one)), one))
  return rounded(parts.reduce((sum, part) => sum + part, exactParts(price, rates, used)))
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
    callCost(price, used) * million
  // All terms are positive integers: a safe sum has safe terms.
  if (videoFrames === 0 && parts <= Number.MAX_SAFE_INTEGER - million) {
    const halfUp = parts + million / 2
    return (halfUp - (halfUp % million)) / million
  }
  return rounded(exactParts(price, rates, used))
}

const million = 1_000_000

const callCost = (price: Price, used: Pick<Usage, "searches" | "calls">): number => {
  const searches = billed(used.searches, price.isSearchOnce) * price.search
  return price.calls === undefined || used.calls === undefined
    ? searches
    : callsOf(price.calls, used.calls).reduce((sum, [count, nanoUsd]) => sum + count * nanoUsd, searches)
}

const callsOf = (prices: CallPrices, counts: CallCounts): ReadonlyArray<readonly [count: number, nanoUsd: number]> =>
  hostedCalls.flatMap((call) => {
    const price = prices[call]
    return price === undefined ? [] : [[billed(counts[call] ?? 0, price.isOnce), price.nanoUsd] as const]
  })

const billed = (count: number, isOnce: true | undefined): number => (isOnce === true ? Math.min(1, count) : count)

/** In 24 millionths of a nano-dollar, because videos have 24 frames a second. */
const exactParts = (price: Price, rates: Rates, used: Consumption): bigint => {
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
    times(billed(used.searches, price.isSearchOnce), price.search) * 1_000_000n +
    callsOf(price.calls ?? {}, used.calls ?? {}).reduce((sum, [count, nanoUsd]) => sum + times(count, nanoUsd), 0n) *
      1_000_000n
  return millionths * 24n + times(used.videoFrames ?? 0, price.videoSecond) * 1_000_000n
}

const rounded = (parts: bigint): number => {
  const denominator = 24_000_000n
  return Number((parts * 2n + denominator) / (denominator * 2n))
}

/** The tier counts the whole input, as the providers' price lists do. */
const ratesFor = (price: Price, inputTokens: number): Rates => {
  let rates = price.rates
  for (const tier of price.tiers) if (inputTokens > tier.above) rates = tier.rates
  return rates
}

/** The most that a request can use. */
export interface MostUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly searches: number
  readonly calls?: CallCounts
  /** Other generations that the provider may run for it. */
  readonly besides?: ReadonlyArray<MostUsage>
}

/** The maximum cost of a request: its input at the highest input rate, its output at the highest output rate. */
export const mostOf = (price: Price, { besides = [], ...bound }: MostUsage): number => {
  if (price.isFree) return 0
  const { cacheRead, cacheWrite, cacheWriteHour, input, output, reasoning } = ratesFor(price, bound.inputTokens)
  const dearest = {
    input: Math.max(input, cacheRead, cacheWrite, cacheWriteHour ?? 0),
    output: Math.max(output, reasoning),
    cacheRead,
    cacheWrite,
    reasoning
  }
  const own = costAt(dearest, price, { ...bound, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 })
  return besides.reduce((sum, one) => sum + mostOf(price, one), own)
}
