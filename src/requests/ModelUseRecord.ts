import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { upstreamCost } from "../ledger/Money.ts"
import { Percentiles } from "./OverviewSums.ts"

/** The use of a model in a time. */
export const ModelUseRecord = Schema.Struct({
  since: answerField(Schema.String, "When this time began, a whole hour (ISO 8601, UTC)."),
  requests: answerField(Schema.Int, "Finished requests that reached an upstream or made a task."),
  errors: answerField(Schema.Int, "Unsuccessful ones of them."),
  input_tokens: answerField(Schema.Int, "Settled input tokens, without cached ones."),
  output_tokens: answerField(Schema.Int, "Settled output tokens, including reasoning."),
  cost_usd: answerField(Schema.Number, "The amount settled in this time, in dollars."),
  upstream_cost_usd: upstreamCost,
  cache_hit_rate: answerField(
    Schema.NullOr(Schema.Number),
    "Input tokens that were read from a cache, of all (0 to 1); null without input. Tasks are not counted."
  ),
  first_byte_ms: answerField(
    Percentiles,
    "Time to the first byte of requests that an upstream answered; null if none was sampled."
  ),
  duration_ms: answerField(Percentiles, "Time to the end of the answer."),
  sampled: answerField(Schema.Boolean, "True if the percentiles are from a sample of the requests.")
}).annotations({ identifier: "ModelUse" })
export type ModelUseRecord = typeof ModelUseRecord.Type
