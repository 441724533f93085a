import { showUsd } from "../contract/showUsd.ts"
import type { Price } from "../ledger/Price.ts"

/** A price as a table cell, in USD, without zero rates. */
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
