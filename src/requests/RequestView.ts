import { Schema, Struct } from "effect"
import { KeySecret } from "../contract/callers/Caller.ts"
import { FallbackReason } from "../contract/records/FallbackReason.ts"
import { GuardrailRecord } from "../contract/records/GuardrailRecord.ts"
import { CallOutcome } from "../contract/records/CallOutcome.ts"
import { ToolOutcome } from "../contract/records/ToolOutcome.ts"
import { answerField } from "../contract/fields.ts"
import { measuresIn, noColumns } from "../contract/records/measures.ts"
import { shownService, serviceFields } from "../contract/records/Service.ts"
import { rareFields, requestFields } from "../contract/records/measureFields.ts"
import { CostRecord } from "../ledger/CostRecord.ts"
import type { StoredToolCall } from "../tools/store/toolCalls.ts"
import { aboveHold, upstreamCost } from "../ledger/Money.ts"
import { PriceSource } from "../ledger/PriceSource.ts"
import { outcomeOfStored } from "./attemptCounts.ts"
import type { StoredRequest } from "./store/RequestStore.ts"

const upstreamKey = Schema.optional(Schema.String).annotations({
  description:
    "For operators: the key of the upstream, as a fingerprint and its last four characters; absent unless the upstream has several keys."
})

const AttemptView = Schema.Struct({
  upstream: answerField(Schema.String, "The upstream."),
  upstream_model: answerField(Schema.String, "The upstream's id of the model."),
  upstream_key: upstreamKey,
  // Absent in answers of an older gateway to the command line.
  outcome: Schema.optional(CallOutcome).annotations({
    description:
      "`answered`, `refused` (for what the request asks), `failed`, `cut` (after the answer began), `outpaced` (another route answered first), `left` (the caller left first), `stopped` (with the gateway), `unsent` (the gateway kept it back)."
  }),
  calls: Schema.optional(
    answerField(Schema.Int, "The calls that the upstream got: several for several answers, 0 if it was not sent.")
  ),
  status: answerField(Schema.NullOr(Schema.Int), "The status of its answer; null without an answer."),
  error: answerField(Schema.NullOr(Schema.String), "The error; null if there was none."),
  offset_ms: answerField(
    Schema.NullOr(Schema.Int),
    "Its start in ms after the request's first byte; null in older rows of calls that began at once."
  ),
  queue_ms: answerField(Schema.Int, "The part of its duration in which it waited for a slot at the upstream."),
  duration_ms: answerField(Schema.Int, "Time until its answer began or the call was abandoned."),
  upstream_request_id: answerField(Schema.NullOr(Schema.String), "The upstream's request id.")
}).annotations({ identifier: "RequestAttempt" })

const ToolCallView = Schema.Struct({
  server: answerField(Schema.String, "The server's name in `mcp.servers`; `own` for one that the request named."),
  tool: answerField(Schema.String, "The tool, as its server names it."),
  ms: answerField(Schema.Int, "Its duration."),
  bytes: answerField(Schema.Int, "Bytes of its result."),
  outcome: answerField(
    ToolOutcome,
    "`completed`; `failed` (the tool says so); `protocol_error`, `http_error`, `timeout`, `too_large` (the server's answer); `refused` (it was not sent, or asks a person); `denied` (its approval was); `cancelled` (the request ended first); `unknown` (it runs, or the gateway went away: it may have taken effect)."
  ),
  cost_usd: answerField(Schema.Number, "Its price, in dollars."),
  approval: Schema.optional(answerField(Schema.String, "Id of the approval that it used; absent without one."))
}).annotations({ identifier: "RequestToolCall" })

const count = (description: string) => answerField(Schema.Int, description)
const name = (description: string) => answerField(Schema.NullOr(Schema.String), description)

/** A finished request, with the field names of its log line. */
export const RequestView = Schema.Struct({
  object: Schema.Literal("request"),
  request_id: answerField(Schema.String, "The reply's `x-request-id`."),
  time: answerField(Schema.String, "Start of the request (ISO 8601, UTC)."),
  account: answerField(Schema.String, "Its account."),
  key: answerField(Schema.String, "Id of its API key."),
  key_name: name("The name of the key; null if the key is gone."),
  key_secret: Schema.optional(
    answerField(KeySecret, "The secret that was used, `old` or `new`; absent unless a rotation left the key two.")
  ),
  person: Schema.optional(answerField(Schema.String, "Id of the person whose key it is; absent for an account's own.")),
  person_name: Schema.optional(
    answerField(Schema.String, "Their verified e-mail address, otherwise the provider's id of them.")
  ),
  family: answerField(Schema.String, "`responses`, `messages`, `chat`, `embeddings`, `videos`, …"),
  endpoint: answerField(Schema.String, "The endpoint's path pattern."),
  model: name("The requested model."),
  fallback: answerField(
    Schema.NullOr(FallbackReason),
    "The reason that another model answered: `too_long`, `refused` or `failed`; null if the requested one did."
  ),
  served_model: name("The model that answered instead; null if the requested one did."),
  upstream: name("The upstream of the last attempt."),
  upstream_model: name("The upstream's id of the model."),
  upstream_key: upstreamKey,
  attempts: answerField(Schema.Array(AttemptView), "All upstream calls, in order."),
  status: count("The answer's status."),
  error: name("The kind of failure, also of one after the 200; `hang_up` if the client left."),
  reason: name("The error message, without the value that the caller sent."),
  stream: answerField(Schema.Boolean, "True if the answer was streamed."),
  first_byte_ms: count("From the request's first byte to the answer's first byte; 0 if no answer began."),
  duration_ms: count("From the request's first byte to the answer's last byte."),
  ...requestFields,
  cost_usd: answerField(
    Schema.NullOr(Schema.Number),
    "The cost of the request, or of the task that it created, in dollars; null if nothing was charged, or not yet."
  ),
  upstream_cost_usd: upstreamCost,
  above_hold_usd: aboveHold,
  price_source: answerField(
    Schema.NullOr(PriceSource),
    "The source of the price of the route that answered; null if none did, for tasks, and in older rows."
  ),
  settled_at: answerField(
    Schema.NullOr(Schema.String),
    "Time of settlement (ISO 8601, UTC), at which sums count it; null if nothing was settled, and in older rows."
  ),
  adapted: name("Parameters that were changed or omitted."),
  notes: answerField(
    Schema.Array(Schema.String),
    "What is uncertain: `usage_counted` (the gateway counted the tokens), `usage_doubted:…` (the part of the upstream's usage that can't be), `unpriced` (the route has no price), `above_hold` (it cost more than was held for it; its charge is the hold), `price_differs` (the provider charged something else than the price says), `finish:…` (the upstream ended for an unknown reason)."
  ),
  tool_calls: Schema.optional(
    answerField(Schema.Int, "The calls of tools of MCP servers that the gateway made for it; absent if there are none.")
  ),
  guardrails: Schema.optional(
    answerField(
      Schema.Array(GuardrailRecord),
      "What guardrails said of its texts, and the time that it took; absent if it has none."
    )
  ),
  tags: answerField(Schema.Array(Schema.String), "Tags from `x-gateway-tags` and `metadata`."),
  end_user: name("The end user, from `user`, `metadata.user_id` or `safety_identifier`."),
  conversation: name(
    "The conversation: the session of an agent (`session_id`, `x-session-id`, `x-claude-code-session-id`, …, " +
      "`metadata.user_id`), `conversation`, `prompt_cache_key`, otherwise the id of its first stored answer; null if none is known. " +
      "Two accounts never share one."
  ),
  client: name("The client, from its user agent."),
  task: name("Id of the task that it created; null if there is none, and in older rows."),
  idempotency: answerField(
    Schema.NullOr(Schema.Literal("once", "replayed")),
    "`once`: sent with an `Idempotency-Key`; `replayed`: answered with an earlier answer."
  ),
  ...rareFields,
  ...serviceFields
}).annotations({ identifier: "Request" })
export type RequestView = typeof RequestView.Type

/** A single request, with its cost explained and its bodies. */
export const RequestDetail = Schema.Struct({
  ...RequestView.fields,
  // Absent in answers of an older gateway to the command line.
  cost: Schema.optional(
    answerField(
      Schema.NullOr(CostRecord),
      "How its cost came about, or that of the task that it created; null if nothing was charged, or not yet."
    )
  ),
  tools: Schema.optional(
    answerField(Schema.Array(ToolCallView), "The calls of tools of MCP servers, in order; absent if there are none.")
  ),
  bodies: answerField(
    Schema.NullOr(
      Schema.Struct({
        request: answerField(Schema.String, "The request body, redacted."),
        answer: answerField(Schema.String, "The answer, or its events; empty if it was not text."),
        is_cut: answerField(Schema.Boolean, "True if either was cut to the 64 K characters that are kept.")
      })
    ),
    "Request and answer bodies if the account records them, otherwise null."
  )
}).annotations({ identifier: "RequestDetail" })
export type RequestDetail = typeof RequestDetail.Type

/** A request's calls of tools. */
export const toolsView = (calls: ReadonlyArray<StoredToolCall>): Pick<RequestDetail, "tool_calls" | "tools"> =>
  calls.length === 0
    ? {}
    : {
        tool_calls: calls.length,
        tools: calls.map(({ approval_id, cost_nano_usd, duration_ms, outcome, received_bytes, server, tool }) => ({
          server,
          tool,
          ms: duration_ms,
          bytes: received_bytes,
          outcome,
          cost_usd: cost_nano_usd / 1e9,
          ...(approval_id !== null && { approval: approval_id })
        }))
      }

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
    ...(details.key_secret !== undefined && { key_secret: details.key_secret }),
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
    ...Struct.pick(row, ...measuresIn("requests")),
    cost_usd: row.cost_nano_usd === null ? null : row.cost_nano_usd / 1e9,
    price_source: priceOf(details.price),
    settled_at: row.settled_at === null ? null : new Date(row.settled_at).toISOString(),
    adapted: details.adapted ?? null,
    notes: details.notes ?? [],
    ...(details.tool_calls !== undefined && { tool_calls: details.tool_calls }),
    ...(details.guardrails !== undefined && { guardrails: details.guardrails }),
    tags: details.tags ?? [],
    end_user: details.end_user ?? null,
    conversation: orNull(row.conversation),
    client: details.client ?? null,
    task: details.task ?? null,
    idempotency: details.idempotency ?? null,
    ...noRare,
    ...Struct.pick(details, ...rare),
    ...shownService(details, row.searches)
  }
}

const rare = measuresIn("request_details")
const noRare = noColumns.request_details

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
