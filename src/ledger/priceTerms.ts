import { hostedCalls } from "../contract/records/HostedCall.ts"
import type { CallCounts, HostedCall } from "../contract/records/HostedCall.ts"
import { countOf, pieceMeasures } from "../contract/records/measures.ts"
import { measures } from "../contract/records/measureTable.ts"
import type { Measure, PieceCounts, PieceMeasure } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import { modalities } from "./rates.ts"
import type { ModalRates, Rates } from "./rates.ts"

/** A part of a cost: so many at a rate. */
export interface Term {
  /** The thing that was counted: a measure, a tool's call, or the request itself. */
  readonly of: string
  readonly count: number
  /** Nano-dollars. */
  readonly rate: number
  /** The count that the rate is for: a million tokens, a second of 24 frames, or one. */
  readonly per: 1_000_000 | 24 | 1
}

/** The tokens of a usage with their rates. Parts are at most the count that they are a part of. */
export const tokenTerms = (rates: Rates, used: Usage): ReadonlyArray<Term> => {
  const terms: Array<Term> = []
  const add = (of: string, count: number, rate: number) => {
    if (count > 0) terms.push({ of, count, rate, per: 1_000_000 })
  }
  /** The tokens of each modality that has rates, and then the rest. */
  const split = (whole: number, kind: "input" | "read" | "output", rateOf: keyof ModalRates): number => {
    let rest = whole
    for (const modality of modalities) {
      const measure = modalMeasures[kind][modality]
      const modal = rates[modality]
      if (measure === undefined || modal === undefined) continue
      const count = Math.min(rest, countOf(used, measure))
      add(measure, count, modal[rateOf])
      rest -= count
    }
    return rest
  }
  add("input_tokens", split(used.inputTokens, "input", "input"), rates.input)
  add("cache_read_tokens", split(used.cacheReadTokens, "read", "cacheRead"), rates.cacheRead)
  const halfDay = Math.min(used.cacheWriteTokens, countOf(used, "cache_write_12h_tokens"))
  const hour = Math.min(used.cacheWriteTokens - halfDay, countOf(used, "cache_write_1h_tokens"))
  add("cache_write_tokens", used.cacheWriteTokens - halfDay - hour, rates.cacheWrite)
  add("cache_write_1h_tokens", hour, rates.cacheWriteHour ?? rates.cacheWrite)
  add("cache_write_12h_tokens", halfDay, rates.cacheWriteHalfDay ?? rates.cacheWrite)
  const written = split(used.outputTokens, "output", "output")
  const reasoning = Math.min(used.reasoningTokens, written)
  add("output_tokens", written - reasoning, rates.output)
  add("reasoning_tokens", reasoning, rates.reasoning)
  return terms
}

const modalMeasures: Readonly<
  Record<"input" | "read" | "output", Readonly<Partial<Record<(typeof modalities)[number], Measure>>>>
> = {
  input: { audio: "audio_input_tokens", image: "image_input_tokens", video: "video_input_tokens" },
  read: { audio: "audio_read_tokens", image: "image_read_tokens", video: "video_read_tokens" },
  output: { audio: "audio_output_tokens", image: "image_output_tokens" }
}

/** Nano-dollars a piece. */
export type PiecePrices = Readonly<Partial<Record<PieceMeasure, number>>>

export type CallPrices = Readonly<Partial<Record<HostedCall, CallPrice>>>

/** Nano-dollars a call, or an answer with calls. */
export interface CallPrice {
  readonly nanoUsd: number
  readonly isOnce?: true
}

/** The prices that no rate of tokens is in. */
interface PieceRates {
  readonly search: number
  readonly isSearchOnce?: true
  readonly calls?: CallPrices
  readonly pieces?: PiecePrices
}

/** The calls and pieces of a usage. No factor changes their price. */
export const pieceTerms = (
  price: PieceRates,
  used: PieceCounts & Pick<Usage, "searches"> & { readonly calls?: CallCounts }
): ReadonlyArray<Term> => {
  const terms: Array<Term> = []
  const add = (of: string, count: number, rate: number) => {
    if (count > 0 && rate > 0) terms.push({ of, count, rate, per: 1 })
  }
  add("web_search", billed(used.searches, price.isSearchOnce), price.search)
  if (price.calls !== undefined && used.calls !== undefined) {
    for (const call of hostedCalls) {
      const one = price.calls[call]
      if (one !== undefined) add(call, billed(used.calls[call] ?? 0, one.isOnce), one.nanoUsd)
    }
  }
  for (const piece of pieceMeasures) add(piece, used[measures[piece].name] ?? 0, price.pieces?.[piece] ?? 0)
  return terms
}

const billed = (count: number, isOnce: true | undefined): number => (isOnce === true ? Math.min(1, count) : count)
