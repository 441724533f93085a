import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { Money } from "../ledger/Money.ts"
import { PriceSource } from "../ledger/PriceSource.ts"

const sums = {
  requests: answerField(Schema.Int, "Settled requests."),
  cost: answerField(Money, "The amount that was charged for them."),
  cost_there: answerField(
    Schema.NullOr(Money),
    "Their cost by the other model's price, each request rounded as the gateway charges; null if it can't be priced there."
  )
}

/** The cost of past traffic by another model's price. */
export const TrafficCost = Schema.Struct({
  object: Schema.Literal("traffic_cost"),
  model: answerField(Schema.String, "The other model."),
  upstream: answerField(Schema.String, "The upstream of its first route, whose price counts."),
  price_source: answerField(PriceSource, "The source of that price."),
  from: answerField(Schema.String, "Start of the span (ISO 8601, UTC)."),
  to: answerField(Schema.String, "End of the span, exclusive."),
  rows_since: Schema.optional(
    answerField(
      Schema.String,
      "Present if rows of the span were removed (`retention.usage_days`): only what was settled from then on is priced."
    )
  ),
  total: answerField(
    Schema.Struct(sums).annotations({ identifier: "TrafficSum" }),
    "The requests that can be priced there; those that can't are left out of all three figures."
  ),
  not_priced: answerField(Schema.Int, "Requests that can't be priced there: videos, and models of another kind."),
  data: answerField(
    Schema.Array(
      Schema.Struct({ model: answerField(Schema.String, "The model as the requests named it."), ...sums }).annotations({
        identifier: "TrafficRow"
      })
    ),
    "The models of the requests, by their cost, the highest first."
  )
}).annotations({ identifier: "TrafficCost" })
export type TrafficCost = typeof TrafficCost.Type
