import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { upstreamCost } from "../ledger/Money.ts"
import { Percentiles } from "./OverviewSums.ts"

/** The use of a model in a time. */
export const ModelUseRecord = Schema.Struct({
  since: said(Schema.String, "When this time began, a whole hour (ISO 8601, UTC)."),
  requests: said(Schema.Int, "Finished requests that reached an upstream or made a task."),
  errors: said(Schema.Int, "Unsuccessful ones of them."),
  input_tokens: said(Schema.Int, "Settled input tokens, without cached ones."),
  output_tokens: said(Schema.Int, "Settled output tokens, including reasoning."),
  cost_usd: said(Schema.Number, "The amount settled in this time, in dollars."),
  upstream_cost_usd: upstreamCost,
  cache_hit_rate: said(
    Schema.NullOr(Schema.Number),
    "Input tokens that were read from a cache, of all (0 to 1); null without input. Tasks are not counted."
  ),
  first_byte_ms: said(
    Percentiles,
    "Time to the first byte of requests that an upstream answered; null if none was sampled."
  ),
  duration_ms: said(Percentiles, "Time to the end of the answer."),
  sampled: said(Schema.Boolean, "True if the percentiles are from a sample of the requests.")
}).annotations({ identifier: "ModelUse" })
export type ModelUseRecord = typeof ModelUseRecord.Type
