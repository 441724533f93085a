import { hostedCalls } from "../../../contract/records/HostedCall.ts"
import { pieceMeasures } from "../../../contract/records/measures.ts"
import type { Price } from "../../../ledger/Price.ts"
import { modalities, ratesFor } from "../../../ledger/rates.ts"
import type { Rates, Steps } from "../../../ledger/rates.ts"
import { everyVariant } from "../../../ledger/variants.ts"
import type { EveryVariant } from "../../../ledger/variants.ts"

/** A price that moves more than this many times is a mistake of units more often than a new price. */
const most = 10

/**
 * True if a price moved more than tenfold: up or down, at any length of input, in any tier, place or hour, of a second of
 * video, a search or a call.
 */
export const isLeap = (before: Price, after: Price): boolean =>
  leaps(before.videoSecond, after.videoSecond) ||
  risesOfCall(before.search, after.search) ||
  risesOfCall(before.request, after.request) ||
  hostedCalls.some((call) => risesOfCall(before.calls?.[call]?.nanoUsd, after.calls?.[call]?.nanoUsd)) ||
  pieceMeasures.some((one) => risesOfCall(before.pieces?.[one], after.pieces?.[one])) ||
  isLeapOfVariants(everyVariant(before), everyVariant(after))

const isLeapOfSteps = (before: Steps, after: Steps): boolean => {
  const starts = new Set([...before.tiers, ...after.tiers].map(({ above }) => above + 1))
  return [0, ...starts].some((inputTokens) =>
    isLeapOfRates(ratesFor(before, inputTokens), ratesFor(after, inputTokens))
  )
}

/** A tier, place or hour that is new counts from the plain rates. */
const isLeapOfVariants = (before: EveryVariant, after: EveryVariant): boolean =>
  isLeapOfSteps(before.plain, after.plain) ||
  [...after.named].some(([name, steps]) => isLeapOfSteps(before.named.get(name) ?? before.plain, steps))

/** A cache's rate often falls far once it is known: before that it was the input's. A new one is compared with that. */
const isLeapOfRates = (before: Rates, after: Rates): boolean =>
  leaps(before.input, after.input) ||
  (!isOfInput(before, after) && leaps(outputOf(before), outputOf(after))) ||
  rises(before.cacheRead || before.input, after.cacheRead) ||
  rises(before.cacheWrite || before.input, after.cacheWrite) ||
  rises((before.cacheWriteHour ?? before.cacheWrite) || before.input, after.cacheWriteHour ?? after.cacheWrite) ||
  rises(before.cacheWriteHalfDay ?? usualHalfDay(before), after.cacheWriteHalfDay ?? after.cacheWrite) ||
  rises(before.reasoning || before.output, after.reasoning) ||
  modalities.some((one) => isLeapOfModal(before, after, one))

/** Those who sell writes for twelve hours ask twice as much for them. */
const usualHalfDay = ({ cacheWrite, input }: Rates): number => 2 * (cacheWrite || input)

/** Models of images may write nothing else. */
const outputOf = ({ image, output }: Rates): number => output || (image?.output ?? 0)

/** Sound and images cost up to 67 times as much as text. */
const mostOfText = 100

const isLeapOfModal = (before: Rates, after: Rates, modality: (typeof modalities)[number]): boolean => {
  const [known, offered] = [before[modality], after[modality]]
  // Rates that a list no longer names are those of text.
  if (known !== undefined) return kinds.some((one) => leaps(known[one], (offered ?? after)[one]))
  return offered !== undefined && kinds.some((one) => offered[one] > mostOfText * Math.max(before.input, before.output))
}

const kinds = ["input", "cacheRead", "output"] as const

/** Lists may name a rate for the output of embeddings, which have none. */
const isOfInput = (before: Rates, after: Rates) => after.output === 0 && before.output <= before.input

const leaps = (before: number, after: number): boolean => before > most * after || after > most * before

/** A rate that was zero is new rather than moved. */
const rises = (before: number, after: number): boolean => before > 0 && after > most * before

/** A new price of a search or call is of a usual size. */
const risesOfCall = (before = 0, after = 0): boolean => (before > 0 ? rises(before, after) : after > dearestNewCall)

/** Nano-dollars. Searches cost up to $0.04, images up to $0.20. */
const dearestNewCall = 1_000_000_000
