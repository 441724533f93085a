import { Clock, Effect, Schema, Struct } from "effect"
import { answerField } from "../contract/fields.ts"
import { upstreamCost } from "../ledger/Money.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { readTime, TimeQuery } from "../contract/timeQuery.ts"
import { outcomeFields } from "./OverviewSums.ts"
import { whoseConversation } from "./RequestQuery.ts"
import type { RequestFilter } from "./store/matchConditions.ts"
import { addSums, noSums } from "../sums/Sums.ts"
import type { Sums } from "../sums/Sums.ts"
import type { RequestStore } from "./store/RequestStore.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const counted = {
  ...Struct.omit(outcomeFields, "errors"),
  cost_usd: answerField(Schema.Number, "The amount settled for these requests in this time, in dollars."),
  upstream_cost_usd: upstreamCost
}

const Bucket = Schema.Struct({ time: answerField(Schema.String, "Start of the bucket."), ...counted }).annotations({
  identifier: "RequestBucket"
})

/** Numbers of requests over time, by outcome. */
export const RequestHistogram = Schema.Struct({
  object: Schema.Literal("request_histogram"),
  from: answerField(Schema.String, "Start of the span (ISO 8601, UTC), by the requests' start."),
  to: answerField(Schema.String, "End of the span, by the requests' start."),
  bucket_seconds: answerField(Schema.Number, "Length of each bucket in seconds."),
  total: answerField(Schema.Struct(counted), "All requests."),
  data: answerField(Schema.Array(Bucket), "All buckets, oldest first, including empty ones.")
}).annotations({ identifier: "RequestHistogram" })
export type RequestHistogram = typeof RequestHistogram.Type

const mostBuckets = 1_000

export const HistogramTimes = {
  from: Schema.optional(TimeQuery).annotations({
    description: "Only requests that began since: a UTC day, a time, or how long ago. Default `24h`."
  }),
  to: Schema.optional(TimeQuery).annotations({
    description: "Only requests that began before this time. Default now."
  }),
  buckets: Schema.optional(wholeNumber(1, mostBuckets)).annotations({
    description: "Approximate number of buckets, whose length is rounded. Default 60."
  })
}

export interface HistogramAsked {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly buckets?: number | undefined
}

/** Counts the matching requests in buckets of a round length. */
export const histogramOf = Effect.fnUntraced(function* (
  store: RequestStore,
  filter: RequestFilter,
  { buckets = 60, from = "24h", to }: HistogramAsked
): Effect.fn.Return<RequestHistogram, InvalidRequest> {
  yield* whoseConversation(filter)
  const isOperator = filter.owner === undefined
  const nowMs = yield* Clock.currentTimeMillis
  const fromMs = readTime(from, nowMs) ?? nowMs
  const toMs = to === undefined ? nowMs : (readTime(to, nowMs, true) ?? nowMs)
  if (fromMs >= toMs) {
    return yield* new InvalidRequest({ param: "from", message: "from: expected a time before `to`" })
  }
  const widthMs = roundLength((toMs - fromMs) / buckets)
  const firstMs = Math.floor(fromMs / widthMs) * widthMs
  const counts = yield* Effect.orDie(store.count({ fromMs, toMs, widthMs, nowMs }, filter))
  const data = Array.from({ length: Math.ceil((toMs - firstMs) / widthMs) }, (_, at) => {
    const beginMs = firstMs + at * widthMs
    return { time: new Date(beginMs).toISOString(), ...show(counts.get(beginMs) ?? noSums(), isOperator) }
  })
  const total = [...counts.values()].reduce((sum, one) => addSums(sum, one), noSums())
  return {
    object: "request_histogram",
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    bucket_seconds: widthMs / 1_000,
    total: show(total, isOperator),
    data
  }
})

/** Failed or cut requests: all errors but refusals and hang-ups. */
export const failedOf = ({ errors, hang_ups, refused }: Pick<Sums, "errors" | "hang_ups" | "refused">): number =>
  errors - hang_ups - refused

const show = (of: Sums, isOperator: boolean) => ({
  requests: of.requests,
  refused: of.refused,
  failed: failedOf(of),
  hang_ups: of.hang_ups,
  cost_usd: of.cost_nano_usd / 1e9,
  ...(isOperator ? { upstream_cost_usd: of.upstream_cost_nano_usd / 1e9 } : {})
})

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
/** Round bucket lengths in ms; longer ones are whole days. */
const lengths = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs)
]
const roundLength = (leastMs: number): number =>
  lengths.find((ms) => ms >= leastMs) ?? Math.ceil(leastMs / dayMs) * dayMs
