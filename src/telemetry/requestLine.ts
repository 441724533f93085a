import { measuresIn, nonZero } from "../contract/records/measures.ts"
import { serviceOf } from "../contract/records/Service.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { showUsd } from "../contract/text/showUsd.ts"

/** The log line of a request as JSON, with its line end. Unknown fields and zero counts are left out. */
export const requestLine = (record: RequestRecord): string => {
  const { used } = record
  const level = levelOf(record)
  const line = {
    time: new Date(record.atMs).toISOString(),
    level,
    event: "request",
    message: `${record.status} ${record.method} ${record.path}`,
    request_id: record.requestId,
    account: record.account,
    key: record.account === undefined ? undefined : (record.key ?? ""),
    key_secret: record.keySecret,
    person: record.person,
    family: record.family,
    endpoint: record.endpoint,
    method: record.method,
    path: record.path,
    status: record.status,
    error: record.error,
    reason: record.reason,
    model: record.model,
    fallback: record.fallback,
    served_model: record.servedModel,
    upstream_model: record.upstreamModel,
    upstream: record.upstream,
    upstream_key: record.upstreamKey,
    attempt: positive(record.attempts.length),
    stream: record.stream,
    first_byte_ms: thousandths(record.firstByteMs),
    duration_ms: thousandths(record.durationMs),
    tool_calls: positive(record.tools.length),
    tools: record.tools.length === 0 ? undefined : record.tools,
    guardrails: record.guardrails.length === 0 ? undefined : record.guardrails,
    input_tokens: used?.inputTokens,
    output_tokens: used?.outputTokens,
    ...(used && countsBeside(used)),
    ...serviceOf(used, record.priceGap),
    cost_usd: record.costNanoUsd === undefined ? undefined : Number(showUsd(record.costNanoUsd)),
    upstream_cost_usd:
      record.upstreamCostNanoUsd === undefined || record.upstreamCostNanoUsd === record.costNanoUsd
        ? undefined
        : Number(showUsd(record.upstreamCostNanoUsd)),
    above_hold_usd: record.aboveHoldNanoUsd === undefined ? undefined : Number(showUsd(record.aboveHoldNanoUsd)),
    adapted: record.adapted,
    notes: record.notes.length === 0 ? undefined : record.notes,
    tags: record.tags.length === 0 ? undefined : record.tags,
    end_user: record.endUser,
    client: record.client,
    idempotency: record.repetition,
    client_request_id: record.clientRequestId,
    traceparent: record.traceparent
  }
  return `${JSON.stringify(line)}\n`
}

/** The counts besides, that are not 0. */
const countsBeside = nonZero([
  ...measuresIn("requests").filter((one) => one !== "input_tokens" && one !== "output_tokens"),
  ...measuresIn("request_details")
])

/** The level of a request's line. A client that leaves is not an error. */
export const levelOf = ({ error, status }: Pick<RequestRecord, "error" | "status">): "error" | "warn" | "info" => {
  if (error === "hang_up") return "info"
  return status >= 500 ? "error" : status >= 400 || error !== undefined ? "warn" : "info"
}

const positive = (count: number | undefined): number | undefined =>
  count !== undefined && count > 0 ? count : undefined

const thousandths = (ms: number): number => Math.floor(ms * 1_000) / 1_000
