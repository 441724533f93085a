import { Record, Schema } from "effect"
import { KeySecret } from "../contract/callers/Caller.ts"
import { CallOutcome } from "../contract/records/CallOutcome.ts"
import { FallbackReason } from "../contract/records/FallbackReason.ts"
import type { Attempt } from "../contract/records/Attempt.ts"
import { columnsOf, measuresIn, noColumns, nonZero } from "../contract/records/measures.ts"
import type { MeasureIn } from "../contract/records/measures.ts"
import { serviceOf, storedService } from "../contract/records/Service.ts"
import { GuardrailRecord } from "../contract/records/GuardrailRecord.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { SumNames } from "../ledger/SumNames.ts"
import { PriceOrigin } from "../ledger/PriceSource.ts"

/** Optional fields, stored in `requests.details`. */
const Details = Schema.Struct({
  attempts: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        upstream_model: Schema.String,
        upstream_key: Schema.optional(Schema.String),
        // Absent if it was answered, and in rows of older gateways.
        outcome: Schema.optional(CallOutcome),
        // Absent for one.
        calls: Schema.optional(Schema.Int),
        status: Schema.optional(Schema.Int),
        error: Schema.optional(Schema.String),
        offset_ms: Schema.optional(Schema.Number),
        queue_ms: Schema.optional(Schema.Number),
        duration_ms: Schema.Number,
        upstream_request_id: Schema.optional(Schema.String)
      })
    )
  ),
  key_secret: Schema.optional(KeySecret),
  reason: Schema.optional(Schema.String),
  fallback: Schema.optional(FallbackReason),
  served_model: Schema.optional(Schema.String),
  price: Schema.optional(
    Schema.Struct({ from: PriceOrigin, name: Schema.String, as_of: Schema.optional(Schema.String) })
  ),
  adapted: Schema.optional(Schema.String),
  notes: Schema.optional(Schema.Array(Schema.String)),
  above_hold_nano_usd: Schema.optional(Schema.Int),
  ...Record.map(noColumns.request_details, () => Schema.optional(Schema.Number)),
  ...storedService,
  tags: Schema.optional(Schema.Array(Schema.String)),
  tool_calls: Schema.optional(Schema.Int),
  guardrails: Schema.optional(Schema.Array(GuardrailRecord)),
  end_user: Schema.optional(Schema.String),
  client: Schema.optional(Schema.String),
  task: Schema.optional(Schema.String),
  idempotency: Schema.optional(Schema.Literal("once", "replayed"))
})
export type Details = typeof Details.Type

export const DetailsText = Schema.parseJson(Details)

/** A request's row. Unknown texts are empty; an unknown cost is null. */
export interface RequestRow extends Readonly<Record<MeasureIn<"requests">, number>> {
  readonly at: number
  readonly request_id: string
  readonly account_id: string
  readonly key_id: string
  readonly family: string
  readonly endpoint: string
  readonly model: string
  /** The model's name in sums, if it is another one (`SumNames`). It has no column. */
  readonly summed_as?: string | undefined
  readonly upstream_model: string
  readonly upstream: string
  readonly status: number
  readonly error: string
  readonly stream: number
  readonly first_byte_ms: number
  readonly duration_ms: number
  /** Null for a request that created a task; the task's usage row has both (`RequestStore`). */
  readonly cost_nano_usd: number | null
  readonly upstream_cost_nano_usd: number | null
  readonly settled_at: number | null
  /** Clients choose it: it names a conversation of one account. */
  readonly conversation: string
  readonly details: string
}

/** The table's columns. */
export const columns = [
  "at",
  "request_id",
  "account_id",
  "key_id",
  "family",
  "endpoint",
  "model",
  "upstream_model",
  "upstream",
  "status",
  "error",
  "stream",
  "first_byte_ms",
  "duration_ms",
  ...measuresIn("requests"),
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "settled_at",
  "conversation",
  "details"
] as const satisfies ReadonlyArray<keyof RequestRow>

const usedColumns = columnsOf(noColumns.requests)
const rareIn = nonZero(measuresIn("request_details"))

export const rowOf = (record: RequestRecord, names: Pick<SumNames, "of">): RequestRow => {
  const model = storable(record.model)
  return {
    at: record.atMs,
    request_id: record.requestId,
    account_id: record.account ?? "",
    key_id: record.key ?? "",
    family: record.family,
    endpoint: record.endpoint,
    model,
    summed_as: names.of({
      account: record.account ?? "",
      model,
      atMs: record.atMs,
      isAnswered: record.attempts.some(({ outcome }) => outcome === "answered" || outcome === "cut")
    }),
    upstream_model: record.upstreamModel ?? "",
    upstream: record.upstream ?? "",
    status: record.status,
    error: record.error ?? "",
    stream: record.stream ? 1 : 0,
    first_byte_ms: firstByteOf(record),
    duration_ms: Math.round(record.durationMs),
    ...usedColumns(record.used),
    cost_nano_usd: record.costNanoUsd ?? null,
    upstream_cost_nano_usd: record.upstreamCostNanoUsd ?? null,
    settled_at: record.settledAtMs ?? null,
    conversation: storable(record.conversation),
    details: detailsOf(record)
  }
}

/**
 * The model that sums count a request under: empty where no upstream was called and no task was made, as callers can
 * make up any number of names.
 */
export const modelOf = ({
  details,
  model,
  summed_as,
  upstream
}: Pick<RequestRow, "details" | "model" | "summed_as" | "upstream">): string =>
  upstream === "" && !details.includes('"task":') ? "" : (summed_as ?? model)

const detailsOf = (record: RequestRecord): string => {
  const details: Record<string, unknown> = {}
  const { attempts } = record
  if (attempts.length > 0) details["attempts"] = attempts.map(attemptOf)
  if (record.keySecret !== undefined) details["key_secret"] = record.keySecret
  if (record.reason !== undefined) details["reason"] = record.reason
  if (record.fallback !== undefined) details["fallback"] = record.fallback
  if (record.servedModel !== undefined) details["served_model"] = record.servedModel
  if (record.pricedBy !== undefined) {
    const { asOf, from, name } = record.pricedBy
    details["price"] = { from, name, as_of: asOf }
  }
  if (record.adapted !== undefined) details["adapted"] = record.adapted
  if (record.notes.length > 0) details["notes"] = record.notes
  if (record.aboveHoldNanoUsd !== undefined) details["above_hold_nano_usd"] = record.aboveHoldNanoUsd
  // JSON has no undefined members.
  if (record.used !== undefined) Object.assign(details, rareIn(record.used), serviceOf(record.used, record.priceGap))
  if (record.tools.length > 0) details["tool_calls"] = record.tools.length
  if (record.guardrails.length > 0) details["guardrails"] = record.guardrails
  if (record.tags.length > 0) details["tags"] = record.tags
  if (record.endUser !== undefined) details["end_user"] = record.endUser
  if (record.client !== undefined) details["client"] = record.client
  if (record.task !== undefined) details["task"] = record.task
  if (record.repetition !== undefined) details["idempotency"] = record.repetition
  return JSON.stringify(details)
}

/**
 * The time to the answer's first byte. The head of an answer may be sent ahead of the upstream's first byte, or of its
 * failure: that is no first byte, and 0 if none follows. A task's answer comes later.
 */
const firstByteOf = ({ attempts, firstByteMs, status, task }: RequestRecord): number => {
  if (status >= 400 || (attempts.length === 0 && task === undefined)) return Math.round(firstByteMs)
  const answered = attempts.find(({ outcome }) => outcome === "answered" || outcome === "cut")
  return answered === undefined
    ? 0
    : Math.max(1, Math.round(Math.max(firstByteMs, answered.offsetMs + answered.durationMs)))
}

/** A caller's text without lone surrogates and NULs, which Postgres's JSON cannot hold. */
const storable = (text = ""): string => text.toWellFormed().replaceAll("\0", "�")

/**
 * Undefined fields are left out of the JSON. Moments are rounded, as those of the row are, and durations lie between
 * them: so calls never overlap their request or one another by a rounded millisecond.
 */
const attemptOf = (attempt: Attempt) => {
  const { calls, durationMs, error, key, model, offsetMs, outcome, queueMs, requestId, status, upstream } = attempt
  const begun = Math.round(offsetMs)
  const sent = Math.round(offsetMs + queueMs)
  const ended = Math.round(offsetMs + durationMs)
  return {
    upstream,
    upstream_model: model,
    upstream_key: key,
    outcome: outcome === "answered" ? undefined : outcome,
    calls: calls === 1 ? undefined : calls,
    status,
    error,
    offset_ms: begun,
    queue_ms: sent === begun ? undefined : sent - begun,
    duration_ms: ended - begun,
    upstream_request_id: requestId
  }
}
