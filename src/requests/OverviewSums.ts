import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { aboveHold, upstreamCost } from "../ledger/Money.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const count = (description: string) => answerField(Schema.Int, description)

/** Requests by outcome, as each report shows them. */
export const outcomeFields = {
  requests: count("Finished requests."),
  errors: count("Unsuccessful requests: the sum of the next three."),
  refused: count("Refused requests: 4xx."),
  failed: count("Failed requests: 5xx, or cut after their 200."),
  hang_ups: count("Requests whose client left.")
}

/** Percentiles of times; null without any. */
export const Percentiles = Schema.NullOr(
  Schema.Struct({
    p50: answerField(Schema.Int, "The median in ms."),
    p95: answerField(Schema.Int, "The 95th percentile in ms.")
  })
)

const sums = {
  ...outcomeFields,
  cost_usd: answerField(
    Schema.Number,
    "The amount settled in this time, in dollars, for requests and for tasks that ended."
  ),
  upstream_cost_usd: upstreamCost,
  above_hold_usd: aboveHold,
  input_tokens: count("Settled input tokens, without cached ones."),
  output_tokens: count("Settled output tokens, including reasoning.")
}
/** Percentiles of requests' times. */
export const timeFields = {
  first_byte_ms: answerField(
    Percentiles,
    "Time to the first byte of requests that an upstream answered; null if none was sampled."
  ),
  duration_ms: answerField(Percentiles, "Time to the end of the answer.")
}

const Point = Schema.Struct({ time: answerField(Schema.String, "Start of the step."), ...sums })

const Total = Schema.Struct({
  ...sums,
  ...timeFields,
  points: answerField(
    Schema.Array(Schema.Struct({ ...Point.fields, ...timeFields })),
    "All steps, including empty ones."
  )
}).annotations({ identifier: "OverviewTotal" })

const Group = Schema.Struct({
  name: answerField(Schema.String, "The group's name; empty if unknown."),
  ...sums,
  ...timeFields,
  points: answerField(Schema.Array(Point), "All steps, including empty ones.")
}).annotations({ identifier: "OverviewGroup" })

/** Fields of an overview of requests. */
export const OverviewSums = {
  object: Schema.Literal("overview"),
  from: answerField(Schema.String, "ISO 8601, UTC."),
  to: answerField(Schema.String, "End of the span."),
  step_seconds: count("Length of each step in seconds."),
  sampled: answerField(
    Schema.Boolean,
    "True if percentiles (and groups by tag or end user) are from a sample of the requests."
  ),
  total: answerField(Total, "All requests."),
  groups: answerField(Schema.Array(Group), "The ten groups with the highest cost, then with the most requests.")
}

/** The overview of one account. */
export const OwnOverview = Schema.Struct(OverviewSums).annotations({ identifier: "OwnOverview" })
export type OwnOverview = typeof OwnOverview.Type

const Step = wholeNumber(1, 86_400)

/** Query parameters for the time span and the steps. */
export const OverviewTimes = {
  from: Schema.optional(TimeQuery).annotations({
    description: "Start of the span: a UTC day, a time, or how long ago. Default `24h`."
  }),
  to: Schema.optional(TimeQuery).annotations({ description: "End of the span. Default now." }),
  step: Schema.optional(Step).annotations({
    description: "Length of a step in seconds, for at most 1000 steps. By default about 60 steps."
  })
}
