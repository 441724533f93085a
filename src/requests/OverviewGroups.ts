import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { settledFields } from "../contract/records/measureFields.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"
import { aboveHold, upstreamCost } from "../ledger/Money.ts"
import { outcomeFields, Percentiles, timeFields } from "./OverviewSums.ts"
import { isLabel, requestLabels } from "./labels.ts"
import type { Label } from "./labels.ts"
import { longestPattern } from "./store/patterns.ts"

const count = (description: string) => answerField(Schema.Int, description)

const figures = {
  ...outcomeFields,
  ...settledFields,
  cache_hit_rate: answerField(
    Schema.NullOr(Schema.Number),
    "The share of input that a cache served, 0 to 1; null without input."
  ),
  cost_usd: answerField(
    Schema.Number,
    "The amount settled in this span, in dollars, for requests and for tasks that ended."
  ),
  upstream_cost_usd: upstreamCost,
  above_hold_usd: aboveHold,
  ...timeFields
}
const Figures = Schema.Struct(figures).annotations({ identifier: "GroupFigures" })
const before = answerField(
  Schema.NullOr(Figures),
  "The same for the span of the same length directly before; null if there was nothing."
)

const Attempts = Schema.Struct({
  attempts: count("Calls to the upstream. 0 in hours before attempts were counted."),
  failed: count("Calls that the upstream failed. A request that it refused for what it asks is none."),
  hidden: count("The failed ones that callers did not notice: another attempt answered."),
  // Absent in answers of an older gateway to the command line.
  outpaced: Schema.optional(count("Calls that were cancelled because another route answered first: no failures.")),
  duration_ms: answerField(
    Percentiles,
    "Time until the upstream began to answer; calls without an answer are not in it."
  )
}).annotations({ identifier: "UpstreamAttempts" })

const Row = Schema.Struct({
  group: answerField(
    Schema.String,
    "The model, upstream, account, tag, end user or service tier, or the key's id. Empty if there is none: no upstream was called, or the request has no tag, end user or tier."
  ),
  second: answerField(Schema.NullOr(Schema.String), "The same of the second dimension; null if there is one alone."),
  name: answerField(Schema.NullOr(Schema.String), "The name of the row's key; null unless rows stand for keys."),
  ...figures,
  attempts: Schema.optional(Attempts).annotations({
    description: "The calls to an upstream; for operators, by upstream alone."
  }),
  before
}).annotations({ identifier: "OverviewRow" })

/** A table of groups of requests, each beside its figures of the span before. */
export const OverviewGroups = Schema.Struct({
  object: Schema.Literal("overview_groups"),
  by: answerField(Schema.String, "The grouping of the rows."),
  from: answerField(Schema.String, "Start of the span (ISO 8601, UTC)."),
  to: answerField(Schema.String, "End of the span, exclusive."),
  before_from: answerField(Schema.String, "Start of the span before, which ends at `from`."),
  sampled: answerField(
    Schema.Boolean,
    "True if percentiles (and rows by tag, end user or service tier) are from a sample of the requests."
  ),
  total: answerField(
    Schema.Struct({ ...figures, before }).annotations({ identifier: "OverviewSum" }),
    "All requests, each once."
  ),
  data: answerField(Schema.Array(Row), "The rows, by cost, then by requests, the highest first."),
  count: count("The number of rows, including those beyond `limit`.")
}).annotations({ identifier: "OverviewGroups" })
export type OverviewGroups = typeof OverviewGroups.Type

/** The columns that rows may stand for, alone or in pairs. */
const columns = ["model", "upstream", "account", "key"] as const
type Column = (typeof columns)[number]

/** The grouping of a table. */
export type Grouping =
  | { readonly of: "columns"; readonly first: Column; readonly second: Column | undefined }
  | { readonly of: "labels"; readonly label: Label }

const pairs = columns.flatMap((first) => columns.flatMap((second) => (first === second ? [] : [`${first},${second}`])))
const groupings: ReadonlyArray<string> = [...columns, ...pairs, ...requestLabels]

/** The words for `by` in messages. */
export const groupingWords =
  "one of model, upstream, account, key, tag, user or service_tier; or two of the first four, such as account,key"

/** Parses `by`. Undefined if it is invalid. */
export const groupingOf = (text: string): Grouping | undefined => {
  if (isLabel(text)) return { of: "labels", label: text }
  const [first, second] = text.split(",").map((name) => columns.find((one) => one === name))
  return first === undefined || !groupings.includes(text) ? undefined : { of: "columns", first, second }
}

const By = Schema.String.pipe(
  Schema.filter((text) => groupingOf(text) !== undefined, {
    description: groupingWords,
    jsonSchema: { type: "string", enum: [...groupings] }
  })
)

const like = (description: string) =>
  Schema.optional(Schema.String.pipe(Schema.maxLength(longestPattern))).annotations({ description })

/** Query parameters of the span. */
export const SpanParams = {
  from: Schema.optional(TimeQuery).annotations({
    description: "Start of the span, to the millisecond: a UTC day, a time, or how long ago. Default `24h`."
  }),
  to: Schema.optional(TimeQuery).annotations({
    description: "End of the span, exclusive; of a day, its end. Default now."
  })
}

/** Query parameters that filter an account's own requests. */
export const OwnFilterParams = {
  key: like("Only this key's: its id or name. In this and other filters `*` is any characters."),
  model: like("Only this model's: `gpt-*`."),
  upstream: like("Only those that this upstream answered, or failed as the last one.")
}

export const FilterParams = { account: like("Only this account's."), ...OwnFilterParams }

/** Query parameters of the table. */
export const TableParams = {
  by: Schema.optional(By).annotations({
    description: "The grouping of the rows, in one dimension or two. Default `model`."
  }),
  limit: Schema.optional(wholeNumber(1, 10_000)).annotations({
    description: "Rows at most. Default 100; of CSV 10000."
  }),
  format: Schema.optional(Schema.Literal("json", "csv")).annotations({
    description: "`csv`: the rows as CSV, as `Accept: text/csv` asks for."
  })
}
