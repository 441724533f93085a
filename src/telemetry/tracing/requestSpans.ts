import { allMeasures, countOf, inputOf, rowOf } from "../../contract/records/measures.ts"
import type { RequestRecord } from "../../contract/records/RequestRecord.ts"
import type { Trace, TracedCall, TracedContents, TracedTool } from "../../contract/records/Trace.ts"
import { kinds, otlpSpan } from "./OtlpSpan.ts"
import type { Attributes } from "../otlp/values.ts"
import type { OtlpSpan } from "./OtlpSpan.ts"

/** The spans of an ended request and its upstream calls. @param contents for the call that answered */
export const requestSpans = (
  record: RequestRecord,
  trace: Trace,
  contents?: TracedContents
): ReadonlyArray<OtlpSpan> => {
  const whose = whoseSpan(record)
  const { endpoint, error, method, status } = record
  const overMs = trace.timeOf(trace.begunAt + record.durationMs)
  const isOurs = status >= 500 || (error !== undefined && status < 400 && error !== "hang_up")
  const server = otlpSpan({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentId,
    name: `${method} ${endpoint}`,
    kind: kinds.server,
    fromMs: trace.timeOf(trace.begunAt),
    toMs: overMs,
    ...(isOurs ? { error: error ?? String(status) } : {}),
    contents: contents?.whole,
    attributes: {
      "http.request.method": method,
      "http.route": endpoint,
      "url.path": record.path,
      "http.response.status_code": status,
      "error.type": error,
      ...whose,
      "gateway.request_id": record.requestId,
      "gateway.account": record.account,
      "gateway.key": record.key,
      "gateway.model": record.model,
      "gateway.upstream": record.upstream,
      "gateway.stream": record.stream,
      "gateway.first_byte_ms": record.firstByteMs,
      "gateway.adapted": record.adapted,
      "gateway.tags": record.tags.length === 0 ? undefined : record.tags,
      "gateway.client": record.client,
      "gateway.client_request_id": record.clientRequestId,
      "gateway.idempotency": record.repetition,
      "gateway.cost_usd": usd(record.costNanoUsd)
    }
  })
  return [server, ...callSpans(trace, overMs, { costNanoUsd: record.costNanoUsd, whose, contents })]
}

/** The conversation and the user, by which collectors group traces. Some read the older of two names. */
const whoseSpan = ({ conversation, endUser, person }: RequestRecord): Attributes => ({
  "gen_ai.conversation.id": conversation,
  "session.id": conversation,
  "user.id": endUser ?? person,
  "enduser.id": endUser
})

interface CallsOf {
  /** The answer's cost, if known. */
  readonly costNanoUsd?: number | undefined
  readonly whose?: Attributes
  readonly contents?: TracedContents | undefined
}

/**
 * The spans of a trace's calls to upstreams and of tools.
 *
 * @param overMs end of the work in Unix ms, also of calls without a known end
 */
export const callSpans = (
  trace: Trace,
  overMs: number,
  { contents, costNanoUsd, whose }: CallsOf = {}
): ReadonlyArray<OtlpSpan> => [
  ...trace.calls.map((call, index) =>
    otlpSpan({
      traceId: trace.traceId,
      spanId: call.spanId,
      parentSpanId: trace.spanId,
      name: `${call.operation} ${call.model}`,
      kind: kinds.client,
      fromMs: trace.timeOf(call.begunAt),
      toMs: call.endedAt === undefined ? overMs : trace.timeOf(call.endedAt),
      ...(call.error === undefined || call.error === "hang_up" ? {} : { error: call.message ?? call.error }),
      contents: index === trace.calls.length - 1 ? contents?.attributes : undefined,
      attributes: {
        ...whose,
        "gen_ai.operation.name": call.operation,
        "gen_ai.provider.name": call.provider,
        "gen_ai.request.model": call.model,
        "gen_ai.response.model": call.used === undefined ? undefined : call.model,
        "gen_ai.request.stream": call.stream,
        ...usage(call, costNanoUsd),
        "gen_ai.server.time_to_first_token":
          call.firstPieceAt === undefined ? undefined : (call.firstPieceAt - call.begunAt) / 1_000,
        "http.response.status_code": call.status,
        "error.type": call.error,
        "gateway.upstream": call.upstream,
        "gateway.upstream_request_id": call.upstreamRequestId,
        "gateway.attempt": index + 1,
        "gateway.contents_cut":
          index === trace.calls.length - 1 && contents !== undefined && contents.cut.length > 0
            ? contents.cut
            : undefined
      }
    })
  ),
  ...trace.tools.map((call) => toolSpan(trace, call, overMs))
]

const toolSpan = (trace: Trace, { begunAt, endedAt, id, outcome, server, spanId, tool }: TracedTool, overMs: number) =>
  otlpSpan({
    traceId: trace.traceId,
    spanId,
    parentSpanId: trace.spanId,
    name: `execute_tool ${tool}`,
    kind: kinds.internal,
    fromMs: trace.timeOf(begunAt),
    toMs: endedAt === undefined ? overMs : trace.timeOf(endedAt),
    ...(outcome === "completed" || outcome === "cancelled" ? {} : { error: outcome ?? "unknown" }),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "extension",
      "gen_ai.tool.call.id": id,
      "error.type": outcome === "completed" ? undefined : (outcome ?? "unknown"),
      "gateway.mcp_server": server
    }
  })

const attributes = allMeasures.flatMap((measure) => {
  const { attribute } = rowOf(measure)
  return attribute === undefined ? [] : [[attribute, measure] as const]
})

/** The conventions count cached tokens as input. */
const usage = ({ used }: TracedCall, costNanoUsd: number | undefined) =>
  used === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": inputOf(used),
        "gen_ai.usage.output_tokens": used.outputTokens,
        ...Object.fromEntries(attributes.map(([name, measure]) => [name, positive(countOf(used, measure))])),
        "gen_ai.usage.cost": usd(costNanoUsd)
      }

const positive = (count: number) => (count > 0 ? count : undefined)
const usd = (nanoUsd: number | undefined) => (nanoUsd === undefined ? undefined : nanoUsd / 1e9)
