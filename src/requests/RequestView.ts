import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { upstreamCost } from "../ledger/Money.ts"
import type { StoredRequest } from "./store/RequestStore.ts"

const AttemptView = Schema.Struct({
  upstream: said(Schema.String, "The upstream."),
  upstream_model: said(Schema.String, "The model's id there."),
  status: said(Schema.NullOr(Schema.Int), "The status of its answer; null if none came."),
  error: said(Schema.NullOr(Schema.String), "The error; null if there was none."),
  offset_ms: said(
    Schema.NullOr(Schema.Int),
    "Its start in ms after the request; null if it was the only call and began at once, and in older rows."
  ),
  duration_ms: said(Schema.Int, "Until its answer began or it was given up."),
  upstream_request_id: said(Schema.NullOr(Schema.String), "The upstream's own id of the call.")
}).annotations({ identifier: "RequestAttempt" })

const count = (description: string) => said(Schema.Int, description)
const name = (description: string) => said(Schema.NullOr(Schema.String), description)

/** A request that is over, by the names of its line in the log. */
export const RequestView = Schema.Struct({
  object: Schema.Literal("request"),
  request_id: said(Schema.String, "The reply's `x-request-id`."),
  time: said(Schema.String, "When it came (ISO 8601, UTC)."),
  account: said(Schema.String, "Its account."),
  key: said(Schema.String, "Id of the key it came with."),
  family: said(Schema.String, "`responses`, `messages`, `chat`, `embeddings`, `videos`, …"),
  endpoint: said(Schema.String, "The path as the contract has it."),
  model: name("As it was asked for."),
  upstream: name("Who was asked last."),
  upstream_model: name("The model's id there."),
  attempts: said(Schema.Array(AttemptView), "Each call of an upstream, in order."),
  status: count("The answer's status."),
  error: name("What kind of failure it ended with, also after its 200; `hang_up` where the reader left."),
  reason: name("What was wrong, as its caller was told, without what was given."),
  stream: said(Schema.Boolean, "True if the answer was streamed."),
  first_byte_ms: count("From the request's first byte to the answer's first byte."),
  duration_ms: count("From the request's first byte to the answer's last byte."),
  input_tokens: count("Not from a cache."),
  output_tokens: count("Reasoning among them."),
  cache_read_tokens: count("Read from a cache."),
  cache_write_tokens: count("Written to one."),
  reasoning_tokens: count("Of the output."),
  searches: count("Of the web."),
  cost_usd: said(
    Schema.NullOr(Schema.Number),
    "What it cost, or the task that it made, in dollars; null where nothing was charged for, or is not yet."
  ),
  upstream_cost_usd: upstreamCost,
  settled_at: said(
    Schema.NullOr(Schema.String),
    "When that was settled (ISO 8601, UTC), which is when sums count it; null where nothing was, and in older rows."
  ),
  adapted: name("Parameters that were changed or left out."),
  tags: said(Schema.Array(Schema.String), "Of `x-gateway-tags` and `metadata`."),
  end_user: name("Of `user`, `metadata.user_id` or `safety_identifier`."),
  client: name("The product that its user agent names."),
  task: name("Id of the task that it made; null where it made none, and in older rows."),
  idempotency: said(Schema.NullOr(Schema.Literal("once", "replayed")), "With a key; `replayed`: an earlier answer.")
}).annotations({ identifier: "Request" })
export type RequestView = typeof RequestView.Type

/** The same, read by itself. */
export const RequestDetail = Schema.Struct({
  ...RequestView.fields,
  bodies: said(
    Schema.NullOr(
      Schema.Struct({
        request: said(Schema.String, "The request body, redacted."),
        answer: said(Schema.String, "The answer, or its events; empty if it was not text."),
        is_cut: said(Schema.Boolean, "True if either was longer than the 64 K characters that are kept.")
      })
    ),
    "Request and answer bodies if the account records them, else null."
  )
}).annotations({ identifier: "RequestDetail" })
export type RequestDetail = typeof RequestDetail.Type

/** A request as its account's holder sees it. */
export const requestView = (row: StoredRequest): RequestView => {
  const { details } = row
  return {
    object: "request",
    request_id: row.request_id,
    time: new Date(row.at).toISOString(),
    account: row.account_id,
    key: row.key_id,
    family: row.family,
    endpoint: row.endpoint,
    model: orNull(row.model),
    upstream: orNull(row.upstream),
    upstream_model: orNull(row.upstream_model),
    attempts: (details.attempts ?? []).map((attempt) => ({
      upstream: attempt.upstream,
      upstream_model: attempt.upstream_model,
      status: attempt.status ?? null,
      error: attempt.error ?? null,
      offset_ms: attempt.offset_ms ?? null,
      duration_ms: Math.round(attempt.duration_ms),
      upstream_request_id: attempt.upstream_request_id ?? null
    })),
    status: row.status,
    error: orNull(row.error),
    reason: details.reason ?? null,
    stream: row.stream,
    first_byte_ms: row.first_byte_ms,
    duration_ms: row.duration_ms,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    reasoning_tokens: row.reasoning_tokens,
    searches: row.searches,
    cost_usd: row.cost_nano_usd === null ? null : row.cost_nano_usd / 1e9,
    settled_at: row.settled_at === null ? null : new Date(row.settled_at).toISOString(),
    adapted: details.adapted ?? null,
    tags: details.tags ?? [],
    end_user: details.end_user ?? null,
    client: details.client ?? null,
    task: details.task ?? null,
    idempotency: details.idempotency ?? null
  }
}

/** The same as an operator sees it. A row of an older gateway has no upstream cost: it is what was charged. */
export const operatorView = (row: StoredRequest): RequestView => {
  const nanoUsd = row.upstream_cost_nano_usd ?? row.cost_nano_usd
  return { ...requestView(row), ...(nanoUsd === null ? {} : { upstream_cost_usd: nanoUsd / 1e9 }) }
}

const orNull = (text: string): string | null => (text === "" ? null : text)
