import { Record, Schema, Struct } from "effect"
import { answerField } from "../contract/fields.ts"
import { entryFields, reportFields } from "../contract/records/measureFields.ts"
import { rowMeasures } from "../contract/records/measures.ts"
import { serviceFields, shownService } from "../contract/records/Service.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { Money, money } from "./Money.ts"
import { usedMeasures } from "../sums/Sums.ts"
import type { UsageGroup, UsageSums } from "./store/usageGroup.ts"
import type { UsageEntry } from "./store/UsageReport.ts"
import { byWords, usageByOf, usageBys } from "./usageBy.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const counted = {
  ...reportFields,
  cost: answerField(Money, "Its cost."),
  upstream_cost: Schema.optional(answerField(Money, "Its cost at the upstreams; for operators only.")),
  above_hold: Schema.optional(
    answerField(Money, "The part of its cost above what was held, which is not charged; for operators only.")
  )
}

const Totals = Schema.Struct({
  requests: answerField(
    Schema.Int,
    "Settled requests. Failed requests cost nothing and are not included; tokens that broken answers had used are."
  ),
  ...counted
}).annotations({ identifier: "UsageTotals" })

const Group = Schema.Struct({
  group: answerField(
    Schema.String,
    "The key's id, the account, model, upstream, service tier, tag or end user, or the UTC day (`2026-01-31`). Empty: requests without a tier, a tag or an end user."
  ),
  // Absent in answers of an older gateway to the command line.
  second: Schema.optional(
    answerField(Schema.NullOr(Schema.String), "The same of the second dimension; null if there is one alone.")
  ),
  name: answerField(Schema.NullOr(Schema.String), "The name of the row's key; null unless rows stand for keys."),
  ...Totals.fields
}).annotations({ identifier: "UsageGroup" })

const Entry = Schema.Struct({
  time: answerField(Schema.String, "When it was settled (ISO 8601, UTC)."),
  request_id: answerField(Schema.String, "The `x-request-id` of its reply."),
  account: answerField(Schema.String, "The account that paid."),
  key: answerField(Schema.String, "Id of the key it came with."),
  person: Schema.optional(answerField(Schema.String, "Id of the person whose key it is; absent for an account's own.")),
  model: answerField(Schema.String, "The model as the request named it."),
  upstream: answerField(Schema.String, "The upstream that answered."),
  outcome: answerField(
    Schema.String,
    "`finished`, or `hang-up` if the client left before the end. Calls that only the operator pays: `cut`, an answer that broke off; `outpaced`, by another route; `given-up`, after a long silence."
  ),
  estimated: answerField(Schema.Boolean, "True if the gateway counted because the upstream sent no usable usage."),
  price: answerField(
    Schema.Unknown,
    "The price as it was applied: `rates` in nano-dollars per million tokens (`cacheWriteHour` if it differs from `cacheWrite`) after all `factors`, `search` per search, `videoSecond` per second; zeros are left out."
  ),
  ...counted,
  ...entryFields,
  ...serviceFields
}).annotations({ identifier: "UsageEntry" })

const since = Schema.optional(TimeQuery).annotations({
  description: "Start of the span: a UTC day, a time, or how long ago (`7d`, `24h`). Default `7d`."
})
const until = Schema.optional(TimeQuery).annotations({ description: "End of the span, inclusive. Default now." })

const limit = (most: number, otherwise: number) =>
  Schema.optional(wholeNumber(1, most)).annotations({
    description: `Rows on a page: 1 to ${most}, default ${otherwise}.`
  })

const By = Schema.String.pipe(
  Schema.filter((text) => usageByOf(text) !== undefined, {
    description: byWords,
    jsonSchema: { type: "string", enum: [...usageBys] }
  })
)

/** The query of a usage report. */
export const UsageParams = {
  since,
  until,
  by: Schema.optional(By).annotations({
    description:
      "The grouping of the rows, in one dimension or two (`key,model`). Default `day`. `request`, `tag` and `end_user` cover the exact span, the others whole UTC days, from the day the span begins to the day it ends. Tags and end users are read from the rows of requests, which are kept for a while."
  }),
  key: Schema.optional(Schema.String).annotations({ description: "Only this key's: its id." }),
  model: Schema.optional(Schema.String).annotations({ description: "Only this model's." }),
  limit: limit(10_000, 100),
  format: Schema.optional(Schema.Literal("json", "csv")).annotations({
    description:
      "`csv`: the rows as CSV, as `Accept: text/csv` asks for; 10000 of them by default. `x-gateway-next` is the `after` of the rest, if there is more."
  }),
  after: Schema.optional(
    Schema.String.pipe(
      Schema.pattern(/^\d{1,16}(\.\d{1,16})?$/),
      Schema.annotations({ description: "a page's `next`" })
    )
  ).annotations({ description: "The `next` of the page before." })
}

/** A usage report: the usage of each row and the totals. */
export const UsageRecord = Schema.Struct({
  object: Schema.Literal("list"),
  by: answerField(Schema.String, "The grouping of the rows."),
  // Absent in answers of an older gateway to the command line.
  from: Schema.optional(
    answerField(
      Schema.Literal("ledger", "request rows"),
      "The source of the rows. `request rows`: tags and end users, of the requests that are still kept; a request counts for each of its tags, and `totals` counts it once."
    )
  ),
  since: answerField(Schema.String, "Start of the span (ISO 8601, UTC)."),
  until: answerField(Schema.String, "End of the span."),
  rows_since: Schema.optional(
    answerField(
      Schema.String,
      "Present if rows of the span were removed (`retention.usage_days`): `data` has what was settled from then on, `totals` is still whole."
    )
  ),
  totals: answerField(Totals, "The whole span, all pages; whole UTC days of it."),
  data: answerField(
    Schema.Union(Schema.Array(Entry), Schema.Array(Group)),
    "Days and requests newest first, others dearest first."
  ),
  next: answerField(Schema.NullOr(Schema.String), "The `after` of the next page; null on the last page.")
}).annotations({ identifier: "UsageReport" })
export type UsageRecord = typeof UsageRecord.Type

const shown = (
  {
    above_hold_nano_usd,
    cost_nano_usd,
    requests: _requests,
    upstream_cost_nano_usd,
    video_frames,
    ...tokens
  }: UsageSums,
  isOperator: boolean
) => ({
  ...tokens,
  video_seconds: video_frames / 24,
  cost: money(cost_nano_usd),
  ...(isOperator ? { upstream_cost: money(upstream_cost_nano_usd), above_hold: money(above_hold_nano_usd) } : {})
})

/** @param isOperator true to show upstream costs */
export const totalsRecord = (sums: UsageSums, isOperator: boolean): typeof Totals.Type => ({
  requests: sums.requests,
  ...shown(Struct.pick(sums, ...usedMeasures), isOperator)
})

export const groupRecord = (group: UsageGroup, isOperator: boolean): typeof Group.Type => ({
  group: group.group,
  second: group.second,
  name: group.name,
  ...totalsRecord(group, isOperator)
})

export const entryRecord = (entry: UsageEntry, isOperator: boolean): typeof Entry.Type => ({
  time: new Date(entry.atMs).toISOString(),
  request_id: entry.requestId,
  account: entry.account,
  key: entry.key,
  ...(entry.person === null ? {} : { person: entry.person }),
  model: entry.model,
  upstream: entry.upstream,
  outcome: entry.outcome,
  estimated: entry.estimated,
  price: JSON.parse(entry.price),
  ...shown(Record.map(Struct.pick(entry, ...usedMeasures), nearest), isOperator),
  ...Record.map(Struct.pick(entry, ...rowMeasures), nearest),
  ...shownService(entry, nearest(entry.searches))
})

/** Rows of version 0.1.0 may contain values that are not valid counts: shown as the nearest integer. */
const nearest = (count: number): number =>
  Math.round(Math.min(Math.max(count, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
