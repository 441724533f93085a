import { hostedCalls } from "../../../contract/HostedCall.ts"
import type { Price, Rates } from "../../../ledger/Price.ts"

/** A price that moves more than this many times is a mistake of units more often than a new price. */
const most = 10

/** True if a price moved more than tenfold: up or down, at any length of input, a second of video, a search or a call. */
export const isLeap = (before: Price, after: Price): boolean => {
  const starts = new Set([...before.tiers, ...after.tiers].map(({ above }) => above + 1))
  return (
    leaps(before.videoSecond, after.videoSecond) ||
    risesOfCall(before.search, after.search) ||
    hostedCalls.some((call) => risesOfCall(before.calls?.[call]?.nanoUsd, after.calls?.[call]?.nanoUsd)) ||
    [0, ...starts].some((inputTokens) => isLeapOfRates(ratesAt(before, inputTokens), ratesAt(after, inputTokens)))
  )
}

/** A cache's rate often falls far once it is known: before that it was the input's. A new one is compared with that. */
const isLeapOfRates = (before: Rates, after: Rates): boolean =>
  leaps(before.input, after.input) ||
  (!isOfInput(before, after) && leaps(before.output, after.output)) ||
  rises(before.cacheRead || before.input, after.cacheRead) ||
  rises(before.cacheWrite || before.input, after.cacheWrite) ||
  rises((before.cacheWriteHour ?? before.cacheWrite) || before.input, after.cacheWriteHour ?? after.cacheWrite) ||
  rises(before.reasoning || before.output, after.reasoning)

/** Lists may name a rate for the output of embeddings, which have none. */
const isOfInput = (before: Rates, after: Rates) => after.output === 0 && before.output <= before.input

const leaps = (before: number, after: number): boolean => before > most * after || after > most * before

/** A rate that was zero is new rather than moved. */
const rises = (before: number, after: number): boolean => before > 0 && after > most * before

/** A new price of a search or call is of a usual size. */
const risesOfCall = (before = 0, after = 0): boolean => (before > 0 ? rises(before, after) : after > dearestNewCall)

/** Nano-dollars. Searches cost up to $0.04, images up to $0.20. */
const dearestNewCall = 1_000_000_000

const ratesAt = ({ rates, tiers }: Price, inputTokens: number): Rates =>
  tiers.reduce((found, tier) => (inputTokens > tier.above ? tier.rates : found), rates)
