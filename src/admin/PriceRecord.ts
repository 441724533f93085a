import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import type { Price as LedgerPrice } from "../ledger/Price.ts"
import { scale } from "../ledger/rates.ts"

const usd = (description: string) => answerField(Schema.Number, description)

/** A price in dollars. */
export const Price = Schema.Struct({
  input: usd("Dollars for a million input tokens."),
  cached_input: usd("For a million tokens read from a cache."),
  output: usd("For a million output tokens, also of a video."),
  per_search: usd("For a web search."),
  per_second: usd("For a second of video."),
  per_rerank_unit: Schema.optionalWith(usd("For a rerank unit: a query with up to 100 documents."), { exact: true }),
  per_image: Schema.optionalWith(usd("For an image of an image model."), { exact: true })
})

/** A price with the factor of its upstream, which is one of tokens alone. */
export const priceRecord = (price: LedgerPrice): typeof Price.Type => {
  const { pieces, search, varying, videoSecond } = price
  const { rates } = varying?.factor === undefined ? price : scale(price, varying.factor)
  return {
    input: rates.input / 1e9,
    cached_input: rates.cacheRead / 1e9,
    output: rates.output / 1e9,
    per_search: search / 1e9,
    per_second: videoSecond / 1e9,
    ...(pieces?.rerank_units !== undefined && { per_rerank_unit: pieces.rerank_units / 1e9 }),
    ...(pieces?.images !== undefined && { per_image: pieces.images / 1e9 })
  }
}
