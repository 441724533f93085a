import { showUsd } from "../contract/showUsd.ts"
import type { Price } from "../ledger/Price.ts"

/** A price in a cell, in USD; what costs nothing is not named. */
export const priceShown = (price: Price | undefined): string => {
  if (price === undefined) return ""
  const parts = [
    [price.rates.input, "in"],
    [price.rates.output, "out"],
    [price.search, "a search"],
    [price.videoSecond, "a second"]
  ] as const
  return parts.flatMap(([nano, what]) => (nano === 0 ? [] : [`${showUsd(nano)} ${what}`])).join(", ")
}
