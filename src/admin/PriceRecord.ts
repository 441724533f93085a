import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import type { Price as LedgerPrice } from "../ledger/Price.ts"

const usd = (description: string) => said(Schema.Number, description)

/** A price in dollars. */
export const Price = Schema.Struct({
  input: usd("Dollars for a million input tokens."),
  cached_input: usd("For a million tokens read from a cache."),
  output: usd("For a million output tokens, also of a video."),
  per_search: usd("For a web search."),
  per_second: usd("For a second of video.")
})

export const priceRecord = ({ rates, search, videoSecond }: LedgerPrice): typeof Price.Type => ({
  input: rates.input / 1e9,
  cached_input: rates.cacheRead / 1e9,
  output: rates.output / 1e9,
  per_search: search / 1e9,
  per_second: videoSecond / 1e9
})
