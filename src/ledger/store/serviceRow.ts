import { Schema } from "effect"
import { Calls } from "../../contract/records/Service.ts"

const text = Schema.NullOr(Schema.String)

/** The columns of `Service` in a row; null if a request has none, and in rows of older gateways. */
export const serviceRow = {
  service_tier: text,
  speed: text,
  inference_geo: text,
  calls: Schema.NullOr(Schema.parseJson(Calls)),
  price_gap: text
}
