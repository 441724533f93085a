import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { Money } from "../ledger/Money.ts"
import { PriceSource } from "../ledger/PriceSource.ts"

const sums = {
  requests: said(Schema.Int, "Settled requests."),
  cost: said(Money, "The amount that was charged for them."),
  cost_there: said(
    Schema.NullOr(Money),
    "Their cost by the other model's price, each request rounded as the gateway charges; null if it can't be priced there."
  )
}

/** The cost of past traffic by another model's price. */
export const TrafficCost = Schema.Struct({
  object: Schema.Literal("traffic_cost"),
  model: said(Schema.String, "The other model."),
  upstream: said(Schema.String, "The upstream of its first route, whose price counts."),
  price_source: said(PriceSource, "The source of that price."),
  from: said(Schema.String, "Start of the span (ISO 8601, UTC)."),
  to: said(Schema.String, "End of the span, exclusive."),
  total: said(
    Schema.Struct(sums).annotations({ identifier: "TrafficSum" }),
    "The requests that can be priced there; those that can't are left out of all three figures."
  ),
  not_priced: said(Schema.Int, "Requests that can't be priced there: videos, and models of another kind."),
  data: said(
    Schema.Array(
      Schema.Struct({ model: said(Schema.String, "The model as the requests named it."), ...sums }).annotations({
        identifier: "TrafficRow"
      })
    ),
    "The models of the requests, by their cost, the highest first."
  )
}).annotations({ identifier: "TrafficCost" })
export type TrafficCost = typeof TrafficCost.Type
