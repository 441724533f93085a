import { Schema } from "effect"
import { FallbackReason } from "../contract/FallbackReason.ts"
import { CallOutcome } from "../contract/CallOutcome.ts"
import { said } from "../contract/fields.ts"
import { aboveHold, upstreamCost } from "../ledger/Money.ts"
import { PriceSource } from "../ledger/PriceSource.ts"
import { outcomeOfStored } from "./attemptCounts.ts"
import type { StoredRequest } from "./store/RequestStore.ts"

const upstreamKey = Schema.optional(Schema.String).annotations({
  description:
    "For operators: the key of the upstream, as a fingerprint and its last four characters; absent unless the upstream has several keys."
})

const AttemptView = Schema.Struct({
  upstream: said(Schema.String, "The upstream."),
  upstream_model: said(Schema.String, "The upstream's id of the model."),
  upstream_key: upstreamKey,
  // Absent in answers of an older gateway to the command line.
  outcome: Schema.optional(CallOutcome).annotations({
    description:
      "`answered`, `refused` (for what the request asks), `failed`, `cut` (after the answer began), `outpaced` (another route answered first), `left` (the caller left first), `stopped` (with the gateway), `unsent` (the gateway kept it back)."
  }),
  calls: Schema.optional(
    said(Schema.Int, "The calls that the upstream got: several for several answers, 0 if it was not sent.")
  ),
  status: said(Schema.NullOr(Schema.Int), "The status of its answer; null without an answer."),
  error: said(Schema.NullOr(Schema.String), "The error; null if there was none."),
  offset_ms: said(
    Schema.NullOr(Schema.Int),
    "Its start in ms after the request's first byte; null in older rows of calls that began at once."
  ),
  queue_ms: said(Schema.Int, "The part of its duration in which it waited for a slot at the upstream."),
  duration_ms: said(Schema.Int, "Time until its answer began or the call was abandoned."),
  upstream_request_id: said(Schema.NullOr(Schema.String), "The upstream's request id.")
}).annotations({ identifier: "RequestAttempt" })

const count = (description: string) => said(Schema.Int, description)
const name = (description: string) => said(Schema.NullOr(Schema.String), description)

/** A finished request, with the field names of its log line. */
export const RequestView = Schema.Struct({
  object: Schema.Literal("request"),
  request_id: said(Schema.String, "The reply's `x-request-id`."),
  time: said(Schema.String, "Start of the request (ISO 8601, UTC)."),
  account: said(Schema.String, "Its account."),
  key: said(Schema.String, "Id of its API key."),
  key_name: name("The name of the key; null if the key is gone."),
  person: Schema.optional(said(Schema.String, "Id of the person whose key it is; absent for an account's own.")),
  person_name: Schema.optional(
    said(Schema.String, "Their verified e-mail address, otherwise the provider's id of them.")
  ),
  family: said(Schema.String, "`responses`, `messages`, `chat`, `embeddings`, `videos`, …"),
  endpoint: said(Schema.String, "The endpoint's path pattern."),
  model: name("The requested model."),
  fallback: said(
    Schema.NullOr(FallbackReason),
    "The reason that another model answered: `too_long`, `refused` or `failed`; null if the requested one did."
  ),
  served_model: name("The model that answered instead; null if the requested one did."),
  upstream: name("The upstream of the last attempt."),
  upstream_model: name("The upstream's id of the model."),
  upstream_key: upstreamKey,
  attempts: said(Schema.Array(AttemptView), "All upstream calls, in order."),
  status: count("The answer's status."),
  error: name("The kind of failure, also of one after the 200; `hang_up` if the client left."),
  reason: name("The error message, without the value that the caller sent."),
  stream: said(Schema.Boolean, "True if the answer was streamed."),
  first_byte_ms: count("From the request's first byte to the answer's first byte; 0 if no answer began."),
  duration_ms: count("From the request's first byte to the answer's last byte."),
  input_tokens: count("Input tokens, without cached ones."),
  output_tokens: count("Output tokens, including reasoning."),
  cache_read_tokens: count("Tokens read from the cache."),
  cache_write_tokens: count("Tokens written to the cache."),
  reasoning_tokens: count("Reasoning tokens, part of the output."),
  searches: count("Web searches."),
  cost_usd: said(
    Schema.NullOr(Schema.Number),
    "The cost of the request, or of the task that it created, in dollars; null if nothing was charged, or not yet."
  ),
  upstream_cost_usd: upstreamCost,
  above_hold_usd: aboveHold,
  price_source: said(
    Schema.NullOr(PriceSource),
    "The source of the price of the route that answered; null if none did, for tasks, and in older rows."
  ),
  settled_at: said(
    Schema.NullOr(Schema.String),
    "Time of settlement (ISO 8601, UTC), at which sums count it; null if nothing was settled, and in older rows."
  ),
  adapted: name("Parameters that were changed or omitted."),
  notes: said(
    Schema.Array(Schema.String),
    "What is uncertain: `usage_counted` (the gateway counted the tokens), `usage_doubted:…` (the part of the upstream's usage that can't be), `unpriced` (the route has no price), `above_hold` (it cost more than was held for it; its charge is the hold), `finish:…` (the upstream ended for an unknown reason)."
  ),
  tags: said(Schema.Array(Schema.String), "Tags from `x-gateway-tags` and `metadata`."),
  end_user: name("The end user, from `user`, `metadata.user_id` or `safety_identifier`."),
  conversation: name(
    "The conversation: the session of an agent (`session_id`, `x-session-id`, `x-claude-code-session-id`, …, " +
      "`metadata.user_id`), `conversation`, `prompt_cache_key`, otherwise the id of its first stored answer; null if none is known. " +
      "Two accounts never share one."
  ),
  client: name("The client, from its user agent."),
  task: name("Id of the task that it created; null if there is none, and in older rows."),
  idempotency: said(
    Schema.NullOr(Schema.Literal("once", "replayed")),
    "`once`: sent with an `Idempotency-Key`; `replayed`: answered with an earlier answer."
  )
}).annotations({ identifier: "Request" })
export type RequestView = typeof RequestView.Type

/** A single request, with its bodies. */
export const RequestDetail = Schema.Struct({
  ...RequestView.fields,
  bodies: said(
    Schema.NullOr(
      Schema.Struct({
        request: said(Schema.String, "The request body, redacted."),
        answer: said(Schema.String, "The answer, or its events; empty if it was not text."),
        is_cut: said(Schema.Boolean, "True if either was cut to the 64 K characters that are kept.")
      })
    ),
    "Request and answer bodies if the account records them, otherwise null."
  )
}).annotations({ identifier: "RequestDetail" })
export type RequestDetail = typeof RequestDetail.Type

/** A request as its account sees it. */
export const requestView = (row: StoredRequest): RequestView => {
  const { details } = row
  return {
    object: "request",
    request_id: row.request_id,
    time: new Date(row.at).toISOString(),
    account: row.account_id,
    key: row.key_id,
    key_name: row.key_name,
    ...(row.person_id === null ? {} : { person: row.person_id }),
    ...(row.person_name === null ? {} : { person_name: row.person_name }),
    family: row.family,
    endpoint: row.endpoint,
    model: orNull(row.model),
    fallback: details.fallback ?? null,
    served_model: details.served_model ?? null,
    upstream: orNull(row.upstream),
    upstream_model: orNull(row.upstream_model),
    attempts: (details.attempts ?? []).map((attempt) => ({
      upstream: attempt.upstream,
      upstream_model: attempt.upstream_model,
      outcome: outcomeOfStored(attempt),
      calls: attempt.calls ?? 1,
      status: attempt.status ?? null,
      error: attempt.error ?? null,
      offset_ms: attempt.offset_ms ?? null,
      queue_ms: attempt.queue_ms ?? 0,
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
    price_source: priceOf(details.price),
    settled_at: row.settled_at === null ? null : new Date(row.settled_at).toISOString(),
    adapted: details.adapted ?? null,
    notes: details.notes ?? [],
    tags: details.tags ?? [],
    end_user: details.end_user ?? null,
    conversation: orNull(row.conversation),
    client: details.client ?? null,
    task: details.task ?? null,
    idempotency: details.idempotency ?? null
  }
}

/** A request as an operator sees it. Rows of older gateways have no upstream cost; there it equals the charge. */
export const operatorView = (row: StoredRequest): RequestView => {
  const nanoUsd = row.upstream_cost_nano_usd ?? row.cost_nano_usd
  const { above_hold_nano_usd: above, attempts = [] } = row.details
  const view = requestView(row)
  return {
    ...view,
    attempts: view.attempts.map((attempt, index) => ({ ...attempt, ...named(attempts[index]) })),
    ...named(attempts.at(-1)),
    ...(nanoUsd === null ? {} : { upstream_cost_usd: nanoUsd / 1e9 }),
    ...(above === undefined ? {} : { above_hold_usd: above / 1e9 })
  }
}

const named = (attempt: { readonly upstream_key?: string | undefined } | undefined) =>
  attempt?.upstream_key === undefined ? {} : { upstream_key: attempt.upstream_key }

const priceOf = (price: StoredRequest["details"]["price"]) =>
  price === undefined
    ? null
    : { ...price, name: price.from === "nowhere" ? null : price.name, as_of: price.as_of ?? null }

const orNull = (text: string): string | null => (text === "" ? null : text)
