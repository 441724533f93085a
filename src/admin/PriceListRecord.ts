import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import type { Move, Refreshed } from "../catalogue/prices/fetched/PriceRefresh.ts"
import { Price, priceRecord } from "./PriceRecord.ts"
import { isoTime } from "./fields.ts"

/** More prices that moved more than tenfold are only counted. */
const mostNamed = 100

/** A fetch of the published list of prices. */
export const PriceListRecord = Schema.Struct({
  object: Schema.Literal("price_list"),
  source: answerField(Schema.String, "The list's address."),
  fetched_at: answerField(Schema.String, "When it was fetched (ISO 8601, UTC)."),
  prices: answerField(Schema.Int, "The names with a price."),
  changed: answerField(Schema.Int, "Names whose price differs from the one before, or that had none."),
  moved: answerField(Schema.Int, "Prices that are more than tenfold from those that were last accepted."),
  accepted: answerField(Schema.Boolean, "Whether those are used. If not, the prices before them stay in use."),
  moves: answerField(
    Schema.Array(
      Schema.Struct({
        name: answerField(Schema.String, "`provider/model`, or a model's name."),
        base: answerField(
          Price,
          "The price that was last accepted, otherwise that of the built-in list or the first one: moves count from it."
        ),
        before: answerField(Price, "The price in use."),
        offered: answerField(Price, "The list's price.")
      })
    ),
    `The first ${mostNamed} of them.`
  )
}).annotations({ identifier: "PriceList" })
export type PriceListRecord = typeof PriceListRecord.Type

export const priceListRecord = (refreshed: Refreshed, accepted: boolean): PriceListRecord => ({
  object: "price_list",
  source: refreshed.source,
  fetched_at: isoTime(refreshed.fetchedAtMs),
  prices: refreshed.prices,
  changed: refreshed.changed,
  moved: refreshed.moved.length,
  accepted,
  moves: refreshed.moved.slice(0, mostNamed).map(moveRecord)
})

const moveRecord = ({ base, before, name, offered }: Move) => ({
  name,
  base: priceRecord(base),
  before: priceRecord(before),
  offered: priceRecord(offered)
})
