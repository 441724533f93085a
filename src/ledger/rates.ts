import { Schema } from "effect"
import { optionalNano, nano, nanoUsd } from "./nanoUsd.ts"

/** Nano-dollars per million tokens of a modality. */
export interface ModalRates {
  readonly input: number
  readonly cacheRead: number
  readonly output: number
}

/** Nano-dollars per million tokens. A video's tokens are output. */
export interface Rates {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** For cache entries that live an hour; `cacheWrite` if absent. */
  readonly cacheWriteHour?: number
  /** For those that live twelve; `cacheWrite` if absent. */
  readonly cacheWriteHalfDay?: number
  readonly output: number
  readonly reasoning: number
  /** Of tokens that are no text; the rates above if absent. */
  readonly audio?: ModalRates
  readonly image?: ModalRates
  readonly video?: ModalRates
}

/** Rates, and those of requests with more input tokens than `above`, lowest first. */
export interface Steps {
  readonly rates: Rates
  readonly tiers: ReadonlyArray<{ readonly above: number; readonly rates: Rates }>
}

/** The rates of tokens as settings write them, in USD per million. */
export interface RatesInUsd {
  readonly input?: number | undefined
  readonly cached_input?: number | undefined
  readonly cache_write?: number | undefined
  readonly cache_write_1h?: number | undefined
  readonly cache_write_12h?: number | undefined
  readonly output?: number | undefined
  readonly reasoning?: number | undefined
  readonly audio?: ModalInUsd | undefined
  readonly image?: ModalInUsd | undefined
  readonly video?: ModalInUsd | undefined
}

interface ModalInUsd {
  readonly input?: number | undefined
  readonly cached_input?: number | undefined
  readonly output?: number | undefined
}

/** Kinds of tokens that are no text. */
export const modalities = ["audio", "image", "video"] as const

/** Rates in nano-dollars. One that is left out is that of text, or of its nearest kind. */
export const ratesOf = (usd: RatesInUsd): Rates => {
  const text = {
    input: nanoUsd(usd.input ?? 0),
    cacheRead: nanoUsd(usd.cached_input ?? usd.input ?? 0),
    cacheWrite: nanoUsd(usd.cache_write ?? usd.input ?? 0),
    output: nanoUsd(usd.output ?? 0)
  }
  // Kept where they differ.
  const hour = usd.cache_write_1h === undefined ? text.cacheWrite : nanoUsd(usd.cache_write_1h)
  const halfDay = usd.cache_write_12h === undefined ? text.cacheWrite : nanoUsd(usd.cache_write_12h)
  return {
    ...text,
    ...(hour !== text.cacheWrite && { cacheWriteHour: hour }),
    ...(halfDay !== text.cacheWrite && { cacheWriteHalfDay: halfDay }),
    reasoning: nanoUsd(usd.reasoning ?? usd.output ?? 0),
    ...Object.fromEntries(
      modalities.flatMap((one) => {
        const modal = usd[one]
        return modal === undefined ? [] : [[one, modalOf(modal, text)] as const]
      })
    )
  }
}

const modalOf = (usd: ModalInUsd, text: Pick<Rates, "input" | "cacheRead" | "output">): ModalRates => ({
  input: usd.input === undefined ? text.input : nanoUsd(usd.input),
  cacheRead: usd.cached_input === undefined ? text.cacheRead : nanoUsd(usd.cached_input),
  output: usd.output === undefined ? text.output : nanoUsd(usd.output)
})

/** Rates times a factor, each rounded to a nano-dollar. */
export const scale = ({ rates, tiers }: Steps, factor: number): Steps => ({
  rates: scaled(rates, factor),
  tiers: tiers.map(({ above, rates: higher }) => ({ above, rates: scaled(higher, factor) }))
})

const scaled = (rates: Rates, factor: number): Rates => {
  const { audio, image, video, ...text } = rates
  const times = <R extends object>(some: R): R =>
    Object.assign(
      {},
      some,
      Object.fromEntries(Object.entries(some).map(([name, rate]) => [name, product(rate, factor)]))
    )
  return {
    ...times(text),
    ...(audio && { audio: times(audio) }),
    ...(image && { image: times(image) }),
    ...(video && { video: times(video) })
  }
}

/** Half up, as decimals: `0.1 × 3` is no 0.30000000000000004. */
const product = (rate: number, factor: number): number => Math.round(Number((rate * factor).toPrecision(15)))

/** The rates for an input: steps count the whole of it, as the providers' lists do. */
export const ratesFor = ({ rates, tiers }: Steps, inputTokens: number): Rates => {
  let found = rates
  for (const tier of tiers) if (inputTokens > tier.above) found = tier.rates
  return found
}

const Modal = Schema.Struct({ input: nano, cacheRead: nano, output: nano })
const RatesText = Schema.Struct({
  input: nano,
  cacheRead: nano,
  cacheWrite: nano,
  cacheWriteHour: optionalNano,
  cacheWriteHalfDay: optionalNano,
  output: nano,
  reasoning: nano,
  audio: Schema.optionalWith(Modal, { exact: true }),
  image: Schema.optionalWith(Modal, { exact: true }),
  video: Schema.optionalWith(Modal, { exact: true })
})

/** `Steps` as JSON without zeros. */
export const StepsText = Schema.Struct({
  rates: RatesText,
  tiers: Schema.optionalWith(Schema.Array(Schema.Struct({ above: nano, rates: RatesText })), { default: () => [] })
})
