import { Schema } from "effect"
import { FallbackReason } from "../contract/FallbackReason.ts"
import type { Attempt, RequestRecord } from "../contract/RequestRecord.ts"

/** Optional fields, stored in `requests.details`. */
const Details = Schema.Struct({
  attempts: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        upstream_model: Schema.String,
        upstream_key: Schema.optional(Schema.String),
        status: Schema.optional(Schema.Int),
        error: Schema.optional(Schema.String),
        offset_ms: Schema.optional(Schema.Number),
        duration_ms: Schema.Number,
        upstream_request_id: Schema.optional(Schema.String)
      })
    )
  ),
  reason: Schema.optional(Schema.String),
  fallback: Schema.optional(FallbackReason),
  served_model: Schema.optional(Schema.String),
  adapted: Schema.optional(Schema.String),
  notes: Schema.optional(Schema.Array(Schema.String)),
  tags: Schema.optional(Schema.Array(Schema.String)),
  end_user: Schema.optional(Schema.String),
  client: Schema.optional(Schema.String),
  task: Schema.optional(Schema.String),
  idempotency: Schema.optional(Schema.Literal("once", "replayed"))
})
export type Details = typeof Details.Type

export const DetailsText = Schema.parseJson(Details)

/** A request's row. Unknown texts are empty; an unknown cost is null. */
export interface RequestRow {
  readonly at: number
  readonly request_id: string
  readonly account_id: string
  readonly key_id: string
  readonly family: string
  readonly endpoint: string
  readonly model: string
  readonly upstream_model: string
  readonly upstream: string
  readonly status: number
  readonly error: string
  readonly stream: number
  readonly first_byte_ms: number
  readonly duration_ms: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly reasoning_tokens: number
  readonly searches: number
  /** Null for a request that created a task; the task's usage row has both (`RequestStore`). */
  readonly cost_nano_usd: number | null
  readonly upstream_cost_nano_usd: number | null
  readonly settled_at: number | null
  readonly details: string
}

/** In the order of the table's columns. */
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
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "searches",
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "settled_at",
  "details"
] as const satisfies ReadonlyArray<keyof RequestRow>

export const rowOf = (record: RequestRecord): RequestRow => {
  const { used } = record
  return {
    at: record.atMs,
    request_id: record.requestId,
    account_id: record.account ?? "",
    key_id: record.key ?? "",
    family: record.family,
    endpoint: record.endpoint,
    // The caller's text may hold lone surrogates, which Postgres's JSON cannot.
    model: (record.model ?? "").toWellFormed(),
    upstream_model: record.upstreamModel ?? "",
    upstream: record.upstream ?? "",
    status: record.status,
    error: record.error ?? "",
    stream: record.stream ? 1 : 0,
    first_byte_ms: Math.round(record.firstByteMs),
    duration_ms: Math.round(record.durationMs),
    input_tokens: used?.inputTokens ?? 0,
    output_tokens: used?.outputTokens ?? 0,
    cache_read_tokens: used?.cacheReadTokens ?? 0,
    cache_write_tokens: used?.cacheWriteTokens ?? 0,
    reasoning_tokens: used?.reasoningTokens ?? 0,
    searches: used?.searches ?? 0,
    cost_nano_usd: record.costNanoUsd ?? null,
    upstream_cost_nano_usd: record.upstreamCostNanoUsd ?? null,
    settled_at: record.settledAtMs ?? null,
    details: detailsOf(record)
  }
}

/**
 * The model that sums count a request under: empty where no upstream was called and no task was made, as callers can
 * make up any number of names.
 */
export const modelOf = ({ details, model, upstream }: Pick<RequestRow, "details" | "model" | "upstream">): string =>
  upstream === "" && !details.includes('"task":') ? "" : model

const detailsOf = (record: RequestRecord): string => {
  const details: Record<string, unknown> = {}
  const { attempts } = record
  if (attempts.length > 0) {
    const hasOffsets =
      attempts.length > 1 || attempts.some(({ error, offsetMs }) => error !== undefined || offsetMs >= atOnce)
    details["attempts"] = attempts.map((attempt) => attemptOf(attempt, hasOffsets))
  }
  if (record.reason !== undefined) details["reason"] = record.reason
  if (record.fallback !== undefined) details["fallback"] = record.fallback
  if (record.servedModel !== undefined) details["served_model"] = record.servedModel
  if (record.adapted !== undefined) details["adapted"] = record.adapted
  if (record.notes.length > 0) details["notes"] = record.notes
  if (record.tags.length > 0) details["tags"] = record.tags
  if (record.endUser !== undefined) details["end_user"] = record.endUser
  if (record.client !== undefined) details["client"] = record.client
  if (record.task !== undefined) details["task"] = record.task
  if (record.repetition !== undefined) details["idempotency"] = record.repetition
  return JSON.stringify(details)
}

/** A single successful call within this many ms of its request needs no offset in the row. */
const atOnce = 10

/** Undefined fields are left out of the JSON. */
const attemptOf = (
  { durationMs, error, key, model, offsetMs, requestId, status, upstream }: Attempt,
  hasOffset: boolean
) => ({
  upstream,
  upstream_model: model,
  upstream_key: key,
  status,
  error,
  offset_ms: hasOffset ? Math.round(offsetMs) : undefined,
  duration_ms: Math.round(durationMs),
  upstream_request_id: requestId
})
