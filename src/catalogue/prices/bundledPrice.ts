import type { ModelPrice, PriceCalculation } from "@pydantic/genai-prices"
import type { PriceInUsd } from "../../ledger/videoPrice.ts"
import type { LengthPrices } from "./Addition.ts"
import { longAbove } from "./longInput.ts"

/** A price of the bundled list, in USD a million tokens or a thousand calls, perhaps in tiers of input. */
export const bundledPrice = ({ model, model_price, provider: { id: provider } }: PriceCalculation): LengthPrices => {
  const { hours, price } = byHours(model.prices) ?? { price: model_price, hours: undefined }
  const starts = new Set<number>()
  for (const entry of Object.values(price)) {
    if (typeof entry === "object") for (const tier of entry.tiers) starts.add(tier.start)
  }
  const files = perCall(baseOf(price["storage_searches_kcount"]))
  const usd = {
    ...ratesAt(price, 0),
    ...(files !== undefined && { per_call: { file_search: files } }),
    ...(hours !== undefined && { hours })
  }
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .map((start) => ({ above: stepOf(provider, start), usd: ratesAt(price, start + 1) }))
  return { usd, tiers }
}

/** The list has OpenAI's step once as more than 272,000 tokens and once as 272,000 or more. */
const stepOf = (provider: string, start: number): number => longAbove(provider, start === 271_999 ? 272_000 : start)

const ratesAt = (price: ModelPrice, inputTokens: number): PriceInUsd => {
  const usd = (key: string): number | undefined => {
    const entry = price[key]
    if (typeof entry !== "object") return entry
    return entry.tiers
      .toSorted((a, b) => a.start - b.start)
      .reduce((found, tier) => (inputTokens > tier.start ? tier.price : found), entry.base)
  }
  const modal = (input: string, cached: string, output: string) => {
    const found = { input: usd(input), cached_input: usd(cached), output: usd(output) }
    return Object.values(found).every((rate) => rate === undefined) ? undefined : found
  }
  return {
    input: usd("input_mtok"),
    cached_input: usd("cache_read_mtok"),
    cache_write: usd("cache_write_mtok"),
    cache_write_1h: usd("cache_write_1h_mtok"),
    output: usd("output_mtok"),
    reasoning: usd("output_reasoning_mtok"),
    audio: modal("input_audio_mtok", "cache_audio_read_mtok", "output_audio_mtok"),
    image: modal("input_image_mtok", "cache_image_read_mtok", "output_image_mtok"),
    video: modal("input_video_mtok", "cache_video_read_mtok", "output_video_mtok"),
    per_search: perCall(usd("web_searches_kcount")),
    per_request: perCall(usd("requests_kcount"))
  }
}

const baseOf = (entry: ModelPrice[string]): number | undefined => (typeof entry === "object" ? entry.base : entry)

const perCall = (perThousand: number | undefined) => (perThousand === undefined ? undefined : perThousand / 1_000)

interface Hourly {
  readonly price: ModelPrice
  readonly hours: PriceInUsd["hours"]
}

/**
 * The dearest price of a model that costs less at some hours, and the factor of the other hours; undefined for a model
 * without such hours, whose price the library chooses by its day. The library would choose by the hour, too: by that in
 * which the gateway started.
 */
const byHours = (prices: PriceCalculation["model"]["prices"]): Hourly | undefined => {
  if (!Array.isArray(prices)) return undefined
  const today = new Date().toISOString().slice(0, 10)
  const usual = prices.findLast(
    ({ constraint }) => constraint === undefined || (constraint.type === "start_date" && constraint.start_date <= today)
  )?.prices
  const spans = prices.flatMap(({ constraint, prices: price }) =>
    constraint?.type === "time_of_date"
      ? [{ from: constraint.start_time.slice(0, 5), to: constraint.end_time.slice(0, 5), price }]
      : []
  )
  const dear = spans.at(-1)?.price
  if (usual === undefined || dear === undefined) return undefined
  const factor = shareOf(usual, dear)
  const isPlain = factor < 1 && spans.every(({ price }) => shareOf(price, dear) === 1 && shareOf(dear, price) === 1)
  // Hours of other kinds: the dearest price counts at all of them.
  if (!isPlain) return { price: [usual, ...spans.map(({ price }) => price)].reduce(dearer), hours: undefined }
  return { price: dear, hours: [{ utc: gapsOf(spans), factor }] }
}

const dearer = (one: ModelPrice, other: ModelPrice): ModelPrice => (shareOf(other, one) > 1 ? other : one)

/** The most that a rate of one price is of another's. */
const shareOf = (price: ModelPrice, of: ModelPrice): number =>
  Math.max(
    ...Object.entries(of).map(([key, rate]) => {
      const [one, other] = [baseOf(price[key]) ?? 0, baseOf(rate) ?? 0]
      return other === 0 ? 0 : Number((one / other).toPrecision(12))
    })
  )

/** The rest of the day beside spans of it. */
const gapsOf = (spans: ReadonlyArray<{ readonly from: string; readonly to: string }>): ReadonlyArray<string> => {
  const sorted = spans.toSorted((one, other) => (one.from < other.from ? -1 : 1))
  return sorted.flatMap(({ to }, index) => {
    const next = (sorted[index + 1] ?? sorted[0])?.from
    return next === undefined || next === to ? [] : [`${to}-${next}`]
  })
}
