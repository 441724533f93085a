import { inputOf } from "../contract/records/measures.ts"
import type { CallCounts, HostedCall } from "../contract/records/HostedCall.ts"
import { measures } from "../contract/records/measureTable.ts"
import type { PieceCounts } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Served } from "../contract/records/Served.ts"
import { priceAs } from "./Price.ts"
import type { Price } from "./Price.ts"
import { isBilledByCall, linesOf, otherPrice, sumOf } from "./costLines.ts"
import { mostRates } from "./mostRates.ts"
import type { Bound } from "./mostRates.ts"
import { ratesFor } from "./rates.ts"
import type { Rates } from "./rates.ts"
import { dearestPlace } from "./variants.ts"
import { Struct } from "effect"

/**
 * Nano-dollars for a request, rounded half up, once.
 *
 * @param atMs when it arrived; undefined: at the dearest hour
 */
export const costOf = (price: Price, used: Usage, atMs?: number): number => {
  if (price.isFree) return 0
  return costAt(price.varying === undefined ? price : priceAs(price, used.served, atMs).price, used, atMs)
}

const costAt = (price: Price, used: Usage, atMs: number | undefined): number => {
  if (used.besides === undefined && price.request === undefined) {
    const quick = plainParts(ratesFor(price, inputOf(used)), price, used)
    if (quick !== undefined) return (quick - (quick % million)) / million
  }
  return sumOf(linesOf(price, used, atMs))
}

/** Millionths of a nano-dollar and a half, of a usage of plain tokens alone; undefined if they are no safe sum. */
const plainParts = (rates: Rates, price: Price, used: Usage): number | undefined => {
  if (hasParts(used)) return undefined
  const reasoning = Math.min(used.reasoningTokens, used.outputTokens)
  const parts =
    used.inputTokens * rates.input +
    used.cacheReadTokens * rates.cacheRead +
    used.cacheWriteTokens * rates.cacheWrite +
    (used.outputTokens - reasoning) * rates.output +
    reasoning * rates.reasoning +
    (used.searches === 0 ? 0 : billedSearches(price, used.searches)) * million
  // All terms are positive integers: a safe sum has safe terms.
  return parts <= Number.MAX_SAFE_INTEGER - million ? parts + million / 2 : undefined
}

const billedSearches = ({ isSearchOnce, search }: Price, searches: number): number =>
  (isSearchOnce === true ? Math.min(1, searches) : searches) * search

/** The measures that plain answers have none of, and calls. */
const rareNames = Struct.keys(measures).flatMap((one) => ("isRare" in measures[one] ? [measures[one].name] : []))
const hasParts = (used: Usage): boolean => used.calls !== undefined || rareNames.some((name) => (used[name] ?? 0) !== 0)

const million = 1_000_000
/** The most that a request can use. */
export interface MostUsage extends PieceCounts, Bound {
  readonly outputTokens: number
  readonly searches: number
  readonly calls?: CallCounts
  /** The tier, speed and place that the request asks for. */
  readonly served?: Served
  /** Other generations that the provider may run for it. */
  readonly besides?: ReadonlyArray<MostUsage>
  /** The model of a generation besides, if it is another one. */
  readonly model?: string
  /** The tool that it works for. */
  readonly tool?: HostedCall
}

/** The maximum cost of a request: its input at the highest input rate, its output at the highest output rate. */
export const mostOf = (price: Price, { besides = [], served, ...bound }: MostUsage, atMs?: number): number => {
  if (price.isFree) return 0
  const own = dearestAs(price, served, atMs)
  const rates = mostRates(own, bound)
  const { request: __, varying: ___, ...plain } = own
  const { modal, ...counts } = bound
  const cost = costOf(
    { ...plain, rates, tiers: [], isFree: false },
    {
      ...counts,
      ...(modal && { audioInputTokens: modal.audio, imageInputTokens: modal.image, videoInputTokens: modal.video }),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0
    }
  )
  return besides.reduce(
    (sum, one) => {
      if (isBilledByCall(price, one)) return sum
      const other = otherPrice(price, one.model)
      return sum + mostOf(other ?? price, { ...(served && { served }), ...one }, atMs)
    },
    cost + (own.request ?? 0)
  )
}

/** The price that holds assume: of the tier that is asked for, at the dearest place unless the request names one. */
const dearestAs = (price: Price, served: Served | undefined, atMs: number | undefined): Price => {
  if (price.varying === undefined) return price
  const geo = served?.geo ?? dearestPlace(price.varying)
  return priceAs(price, { ...served, ...(geo !== undefined && { geo }) }, atMs).price
}
