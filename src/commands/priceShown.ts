import { pricesByPiece } from "../contract/records/piecePrices.ts"
import { usdText } from "../contract/text/usdText.ts"
import { priceRecord } from "../admin/PriceRecord.ts"
import type { Price as PriceRecord } from "../admin/PriceRecord.ts"
import { unpriced } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"

/** A price as a table cell, without zero rates: `$3.00 in, $15.00 out` for a million tokens, `free`, or `no price`. */
export const priceText = (price: typeof PriceRecord.Type | null): string => {
  if (price === null) return "no price"
  const parts = [
    [price.input, "in"],
    [price.output, "out"],
    [price.per_search, "a search"],
    [price.per_second, "a second"],
    ...pricesByPiece(price)
  ] as const
  const shown = parts.flatMap(([usd, what, isMost]) =>
    usd === 0 ? [] : [`${isMost ? "up to " : ""}${usdText(usd)} ${what}`]
  )
  return shown.join(", ") || "free"
}

/** `priceText` of the ledger's price. */
export const priceShown = (price: Price | undefined): string =>
  priceText(price === undefined || price === unpriced ? null : priceRecord(price))
