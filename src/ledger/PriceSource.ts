import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"

/** The kinds of sources of prices. */
export const PriceOrigin = Schema.Literal(
  "gateway.yaml",
  "prices_file",
  "fetched list",
  "built-in list",
  "sandbox",
  "nowhere"
)

/** The source of a model's price. */
export interface PricedBy {
  readonly from: typeof PriceOrigin.Type
  /** The model's name in that source. */
  readonly name: string
  /** The day of a list (ISO 8601). */
  readonly asOf?: string
  /** True if the fetched list moves the price more than tenfold, so that this one counts until an operator accepts it. */
  readonly isHeld?: boolean
}

/** The source of a price, for readers. */
export const PriceSource = Schema.Struct({
  from: answerField(PriceOrigin, "The source of its price."),
  name: answerField(Schema.NullOr(Schema.String), "The name of the price there; null if there is none."),
  as_of: answerField(
    Schema.NullOr(Schema.String),
    "The day of the fetched or the built-in list (ISO 8601); null if the price is from elsewhere."
  )
}).annotations({ identifier: "PriceSource" })

export const priceSourceOf = (pricedBy: PricedBy | undefined): typeof PriceSource.Type => {
  const { asOf, from, name } = pricedBy ?? { from: "nowhere" as const, name: "" }
  return { from, name: from === "nowhere" ? null : name, as_of: asOf ?? null }
}
