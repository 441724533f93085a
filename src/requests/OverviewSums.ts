import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { upstreamCost } from "../ledger/Money.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const count = (description: string) => said(Schema.Int, description)
const Percentiles = Schema.NullOr(
  Schema.Struct({
    p50: said(Schema.Int, "Half of them took less, in ms."),
    p95: said(Schema.Int, "95 of 100 took less, in ms.")
  })
)

const sums = {
  requests: count("Finished requests."),
  errors: count("All that did not finish well: the next three together."),
  refused: count("Refused requests: 4xx."),
  failed: count("Failed requests: 5xx, or cut after their 200."),
  hang_ups: count("Requests whose client left."),
  cost_usd: said(Schema.Number, "What was settled in that time, in dollars: requests, and tasks that ended in it."),
  upstream_cost_usd: upstreamCost,
  input_tokens: count("What was settled was for so many, not from a cache."),
  output_tokens: count("And for so many of these, reasoning among them.")
}
const times = {
  first_byte_ms: said(Percentiles, "Time to the first byte; null if no request was sampled."),
  duration_ms: said(Percentiles, "Time to the end of the answer.")
}

const Point = Schema.Struct({ time: said(Schema.String, "When the step begins."), ...sums })

const Total = Schema.Struct({
  ...sums,
  ...times,
  points: said(Schema.Array(Schema.Struct({ ...Point.fields, ...times })), "Each step of the time, also empty ones.")
}).annotations({ identifier: "OverviewTotal" })

const Group = Schema.Struct({
  name: said(Schema.String, "The group's name; empty if unknown."),
  ...sums,
  ...times,
  points: said(Schema.Array(Point), "Each step of the time, also empty ones.")
}).annotations({ identifier: "OverviewGroup" })

/** What requests of a time add up to, as fields of a record. */
export const OverviewSums = {
  object: Schema.Literal("overview"),
  from: said(Schema.String, "ISO 8601, UTC."),
  to: said(Schema.String, "End of the span."),
  step_seconds: count("How long each step is."),
  sampled: said(Schema.Boolean, "True if percentiles (and groups by tag) are of a sample of the requests."),
  total: said(Total, "All of them."),
  groups: said(Schema.Array(Group), "The ten that cost the most; of those that cost the same, with the most requests.")
}

/** An account's own. */
export const OwnOverview = Schema.Struct(OverviewSums).annotations({ identifier: "OwnOverview" })
export type OwnOverview = typeof OwnOverview.Type

const Step = wholeNumber(1, 86_400)

/** Which time is asked for, in steps of which length. */
export const OverviewTimes = {
  from: Schema.optional(TimeQuery).annotations({
    description: "Start of the span: a UTC day, a time, or how long ago. Default `24h`."
  }),
  to: Schema.optional(TimeQuery).annotations({ description: "End of the span. Default now." }),
  step: Schema.optional(Step).annotations({
    description: "Seconds of each step, a thousand steps at most; about sixty steps by default."
  })
}
