import { Schema } from "effect"
import { said } from "../contract/fields.ts"

const count = (description: string) => said(Schema.Int, description)
const Percentiles = Schema.NullOr(
  Schema.Struct({
    p50: said(Schema.Int, "Half of them took less, in ms."),
    p95: said(Schema.Int, "95 of 100 took less, in ms.")
  })
)

const sums = {
  requests: count("Requests that were over."),
  errors: count("Those of them that did not go well: the next three together."),
  refused: count("Those that were refused: 4xx."),
  failed: count("Those that failed: 5xx, or cut after their 200."),
  hang_ups: count("Those whose reader left."),
  cost_usd: said(Schema.Number, "What they cost, in dollars."),
  input_tokens: count("Not from a cache."),
  output_tokens: count("Reasoning among them.")
}
const times = {
  first_byte_ms: said(Percentiles, "Until the first byte of the answer; null without requests."),
  duration_ms: said(Percentiles, "Until its end.")
}

const Point = Schema.Struct({ time: said(Schema.String, "When the step begins."), ...sums })

const Total = Schema.Struct({
  ...sums,
  ...times,
  points: said(Schema.Array(Schema.Struct({ ...Point.fields, ...times })), "Each step of the time, also empty ones.")
}).annotations({ identifier: "OverviewTotal" })

const Group = Schema.Struct({
  name: said(Schema.String, "What they have in common; empty where that is not known."),
  ...sums,
  ...times,
  points: said(Schema.Array(Point), "Each step of the time, also empty ones.")
}).annotations({ identifier: "OverviewGroup" })

const Attention = Schema.Struct({
  level: said(Schema.Literal("error", "warning"), "How much it matters."),
  what: said(Schema.Literal("upstream", "delivery", "task", "key", "account", "daemon", "model"), "What it is about."),
  id: said(Schema.NullOr(Schema.String), "Which; null where it is several."),
  message: said(Schema.String, "What is the matter, in a sentence.")
}).annotations({ identifier: "Attention" })
export type Attention = typeof Attention.Type

/** What happened in a time, and what somebody should look at. */
export const OverviewRecord = Schema.Struct({
  object: Schema.Literal("overview"),
  from: said(Schema.String, "ISO 8601, UTC."),
  to: said(Schema.String, "Until then."),
  step_seconds: count("How long each step is."),
  sampled: said(
    Schema.Boolean,
    "Whether percentiles (and what is told by tags) are of a part of the requests, as there are many."
  ),
  total: Total,
  groups: said(Schema.Array(Group), "The ten with the most requests."),
  queue: said(
    Schema.Struct({
      tasks: count("Tasks that have not ended, up to 100000."),
      deliveries: count("Callbacks still to be delivered, up to 100000."),
      waiting: count("Calls that wait for room at an upstream, in this process.")
    }),
    "What waits now."
  ),
  attention: said(Schema.Array(Attention), "What somebody should look at, the worst first.")
}).annotations({ identifier: "Overview" })
export type OverviewRecord = typeof OverviewRecord.Type
