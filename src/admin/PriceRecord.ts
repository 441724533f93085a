import { Record, Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { pieceMeasures } from "../contract/records/measures.ts"
import { measures } from "../contract/records/measureTable.ts"
import { piecePrices } from "../contract/records/piecePrices.ts"
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
  ...Record.map(piecePrices, ({ says }) => Schema.optionalWith(usd(says), { exact: true })),
  images: Schema.optionalWith(
    answerField(
      Schema.Record({ key: Schema.String, value: Schema.Number }),
      "Per image by `quality/size`, of which `per_image` is the dearest; absent if all cost the same."
    ),
    { exact: true }
  )
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
    ...Object.fromEntries(
      pieceMeasures.flatMap((one) => {
        const nanoUsd = pieces?.[one]
        return nanoUsd === undefined ? [] : [[measures[one].price, nanoUsd / 1e9] as const]
      })
    ),
    ...(varying?.images && { images: Record.map(varying.images, (nanoUsd) => nanoUsd / 1e9) })
  }
}
