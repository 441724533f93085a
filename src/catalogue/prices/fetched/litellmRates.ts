import { Schema, Struct } from "effect"
import type { JsonObject } from "../../../contract/fields.ts"
import type { RatesInUsd } from "../../../ledger/rates.ts"
import type { PriceInUsd } from "../../../ledger/videoPrice.ts"
import { longAbove } from "../longInput.ts"

/** The fields of LiteLLM's list for rates, in USD a token. A length of input and a tier may follow, in this order. */
const fields = [
  "input_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "cache_creation_input_token_cost_above_1hr",
  "cache_creation_input_token_cost_above_12hr",
  "output_cost_per_token",
  "output_cost_per_reasoning_token",
  "input_cost_per_audio_token",
  "cache_read_input_audio_token_cost",
  "output_cost_per_audio_token",
  "input_cost_per_image_token",
  "cache_read_input_image_token_cost",
  "output_cost_per_image_token",
  "input_cost_per_video_token"
] as const
type Field = (typeof fields)[number]

/** Batches have no tier of their own here: the gateway runs none at providers. */
const tierNames = ["priority", "flex", "ultrafast", "balanced"] as const
type TierName = (typeof tierNames)[number]

const isField = Schema.is(Schema.Literal(...fields))

/** USD a token; the dearest model costs a thousandth of the bound. */
export const Rate = Schema.Number.pipe(Schema.between(0, 1))
const isRate = Schema.is(Rate)

type MutableRates = Partial<Record<Field, number>>
/** Rates by field. */
export type FieldRates = Readonly<MutableRates>

/** Rates by the length of input that they begin above; 0 is any length. */
type Steps = Map<number, FieldRates>

/** The rates of a row: standard ones, and those of its tiers. */
export interface RowRates {
  readonly standard: Steps
  readonly tiers: ReadonlyMap<TierName, Steps>
}

/** The most prices of one model by length of input. Real ones have three. */
export const mostSteps = 16

/** `output_cost_per_token_above_272k_tokens_flex`. */
const partsOf = (written: string) => {
  const tier = tierNames.find((name) => written.endsWith(`_${name}`))
  const rest = tier === undefined ? written : written.slice(0, -tier.length - 1)
  const [suffix = "", thousands = "0"] = /_above_(\d{1,4})k_tokens$/.exec(rest) ?? []
  return { field: rest.slice(0, rest.length - suffix.length), above: Number(thousands) * 1_000, tier }
}

/** The rates that a row names; undefined if one is impossible, or if they have more steps than any model. */
export const ratesIn = (row: JsonObject, provider: string): RowRates | undefined => {
  const standard = new Map<number, MutableRates>([[0, {}]])
  const tiers = new Map<TierName, Map<number, MutableRates>>()
  for (const [written, rate] of Object.entries(row)) {
    if (!written.includes("_cost")) continue
    const { above: step, field, tier } = partsOf(written)
    if (!isField(field) || rate === null) continue
    if (!isRate(rate)) return undefined
    const steps = tier === undefined ? standard : (tiers.get(tier) ?? new Map<number, MutableRates>())
    if (tier !== undefined) tiers.set(tier, steps)
    const above = longAbove(provider, step)
    const rates = steps.get(above) ?? {}
    rates[field] = precise(rate)
    steps.set(above, rates)
    if (steps.size > mostSteps + 1) return undefined
  }
  for (const steps of [standard, ...tiers.values()]) {
    for (const [above, rates] of steps) steps.set(above, withoutText(rates))
  }
  return { standard, tiers }
}

/** Those of sound, images and film, and the fields of text in their order. */
const modalFields = {
  audio: ["input_cost_per_audio_token", "cache_read_input_audio_token_cost", "output_cost_per_audio_token"],
  image: ["input_cost_per_image_token", "cache_read_input_image_token_cost", "output_cost_per_image_token"],
  video: ["input_cost_per_video_token"]
} as const
const modalities = Object.values(modalFields)
const textFields = ["input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token"] as const

/** Without the rates of a modality that are those of text, which count at every length of input where there are none. */
const withoutText = (rates: FieldRates): FieldRates =>
  modalities
    .filter((some) => some.some((field) => rates[field] !== undefined))
    .filter((some) => some.every((field, index) => isTextRate(rates, field, textFields[index])))
    .reduce<FieldRates>((left, some) => Struct.omit(left, ...some), rates)

const isTextRate = (rates: FieldRates, field: Field, text: Field | undefined): boolean =>
  rates[field] === undefined || (text !== undefined && rates[field] === rates[text])

/**
 * The rates above a length of input: those that the row names for it, otherwise those of any length. Long caches cost as
 * much more there as others.
 */
export const ratesAt = (steps: Steps, above: number): FieldRates => {
  const [base = {}, step = {}] = [steps.get(0), steps.get(above)]
  const [usual, here] = [base.cache_creation_input_token_cost, step.cache_creation_input_token_cost]
  const rates: MutableRates = { ...base, ...step }
  if (usual === undefined || usual === 0 || here === undefined) return rates
  for (const field of longCaches) {
    const long = base[field]
    if (step[field] === undefined && long !== undefined) rates[field] = precise((long * here) / usual)
  }
  return rates
}

const longCaches = ["cache_creation_input_token_cost_above_1hr", "cache_creation_input_token_cost_above_12hr"] as const

/** The lengths at which rates change, lowest first. */
export const stepsOf = (...all: ReadonlyArray<Steps>): ReadonlyArray<number> =>
  [...new Set(all.flatMap((steps) => [...steps.keys()]))].filter((above) => above > 0).sort((a, b) => a - b)

/** The tiers of a row that have a price. */
export const tiersOf = ({ standard, tiers }: RowRates): PriceInUsd["service_tier"] => {
  const found = [...tiers].flatMap(([tier, own]) => {
    const price = tierPrice(standard, own)
    return price === undefined ? [] : [[tier, price] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

type TierPrice = number | (RatesInUsd & { readonly above?: Readonly<Record<string, RatesInUsd>> })

/** A factor if all rates of a tier are the standard ones times it, otherwise its rates. */
const tierPrice = (standard: Steps, own: Steps): TierPrice | undefined => {
  const factor = shareOf(own.get(0), standard.get(0))
  if (factor === undefined) return undefined
  const starts = stepsOf(standard, own)
  const rates = new Map([0, ...starts].map((above) => [above, tierRates(standard, own, above, factor)]))
  const isFactor = [...rates].every(([above, some]) => {
    const plain = ratesAt(standard, above)
    return fields.every((field) => some[field] === times(plain[field], factor))
  })
  if (isFactor) return factor
  const above = Object.fromEntries(starts.map((start) => [start, usdOf(rates.get(start) ?? {})]))
  return { ...usdOf(rates.get(0) ?? {}), ...(starts.length > 0 && { above }) }
}

/** A rate that the tier lacks is the standard one, dearer or cheaper as its input is. */
const tierRates = (standard: Steps, own: Steps, above: number, usual: number): FieldRates => {
  const [plain, named] = [ratesAt(standard, above), own.get(above) ?? {}]
  const share = shareOf(named, plain) ?? usual
  const missing = (field: Field): number | undefined => {
    const isOfStep = above === 0 || standard.get(above)?.[field] !== undefined
    return isOfStep ? times(plain[field], share) : (own.get(0)?.[field] ?? times(plain[field], usual))
  }
  return Object.fromEntries(
    fields.flatMap((field) => {
      const rate = named[field] ?? missing(field)
      return rate === undefined ? [] : [[field, rate]]
    })
  )
}

/** The share of the standard price that a tier costs: by its input, or by its output if it names no input. */
const shareOf = (tier: FieldRates = {}, plain: FieldRates = {}): number | undefined => {
  for (const field of ["input_cost_per_token", "output_cost_per_token"] as const) {
    const [rate, standard] = [tier[field], plain[field]]
    if (rate === undefined || standard === undefined || rate === 0 || standard === 0) continue
    const share = precise(rate / standard)
    return share <= mostShare ? share : undefined
  }
  return undefined
}

/** The largest factor that prices may have. */
export const mostShare = 100

const times = (rate: number | undefined, factor: number): number | undefined =>
  rate === undefined ? undefined : precise(rate * factor)

const precise = (value: number): number => Number(value.toPrecision(12))

/** Rates in USD per million tokens. */
export const usdOf = (rates: FieldRates): RatesInUsd => {
  const of = (field: Field | undefined): number | undefined => {
    const rate = field && rates[field]
    return rate === undefined ? undefined : precise(rate * 1_000_000)
  }
  const modal = (some: ReadonlyArray<Field>) => {
    const [input, cached_input, output] = [of(some[0]), of(some[1]), of(some[2])]
    return input === undefined && cached_input === undefined && output === undefined
      ? undefined
      : { input, cached_input, output }
  }
  return {
    input: of("input_cost_per_token"),
    cached_input: of("cache_read_input_token_cost"),
    cache_write: of("cache_creation_input_token_cost"),
    cache_write_1h: of("cache_creation_input_token_cost_above_1hr"),
    cache_write_12h: of("cache_creation_input_token_cost_above_12hr"),
    output: of("output_cost_per_token"),
    reasoning: of("output_cost_per_reasoning_token"),
    audio: modal(modalFields.audio),
    image: modal(modalFields.image),
    video: modal(modalFields.video)
  }
}
