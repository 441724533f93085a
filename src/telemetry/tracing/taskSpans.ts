import { readContext } from "../../contract/records/Trace.ts"
import type { SpanContext, Trace, TracedContents } from "../../contract/records/Trace.ts"
import { callSpans } from "./requestSpans.ts"
import { kinds, otlpSpan } from "./OtlpSpan.ts"
import type { OtlpSpan } from "./OtlpSpan.ts"

/** A task's data for its spans. */
export interface TracedTask {
  readonly id: string
  readonly kind: string
  readonly account: string
  readonly key: string
  readonly model: string
  readonly upstream: string | null
  readonly state: string
  readonly tries: number
  readonly error: { readonly code: string; readonly message: string } | null
  /** `traceparent` of the creating request; null if that was not sampled. */
  readonly trace: string | null
  readonly createdAtMs: number
  readonly endedAtMs: number | null
}

/** The span of a task's whole life, below the creating request. Derived from the task, so that every process knows its id. */
export const lifeOf = ({ id, trace }: Pick<TracedTask, "id" | "trace">): SpanContext | undefined => {
  const made = readContext(trace)
  return made?.isSampled === true ? { ...made, spanId: spanIdOf(id) } : undefined
}

const spanIdOf = (taskId: string): string =>
  new Bun.CryptoHasher("sha256").update(`task:${taskId}`).digest("hex").slice(0, 16)

/** The span of an ended task. */
export const taskSpan = (task: TracedTask, life: SpanContext): OtlpSpan => {
  const { error, kind, model, state, upstream } = task
  const operation = kind === "video" ? "generate_content" : undefined
  return otlpSpan({
    traceId: life.traceId,
    spanId: life.spanId,
    parentSpanId: readContext(task.trace)?.spanId,
    name: `${kind} task ${model}`,
    kind: kinds.internal,
    fromMs: task.createdAtMs,
    toMs: task.endedAtMs ?? task.createdAtMs,
    ...(state === "failed" ? { error: error?.message ?? state } : {}),
    attributes: {
      ...nameSpan(task),
      "error.type": error?.code ?? (state === "succeeded" ? undefined : state),
      // Text tasks have these on their upstream calls.
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": operation === undefined ? undefined : (upstream ?? undefined),
      "gen_ai.request.model": operation === undefined ? undefined : model
    }
  })
}

/** The result of a turn. */
export interface FinishedTurn {
  /** The task at the turn's start. */
  readonly task: TracedTask
  /** The error message of a failed turn. */
  readonly error: string | undefined
  /** Nothing changed: the task still waits. */
  readonly isUneventful: boolean
}

interface OfTask extends FinishedTurn {
  /** The task's earlier turns were not this process's. */
  readonly isTakenOver: boolean
  /** The turn's end, in Unix ms. */
  readonly overMs: number
  readonly contents?: TracedContents | undefined
}

/** The spans of a task's turn and its upstream calls. */
export const turnSpans = (
  trace: Trace,
  { contents, error, isTakenOver, overMs, task }: OfTask
): ReadonlyArray<OtlpSpan> => {
  const made = readContext(task.trace)
  const turn = otlpSpan({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentId,
    name: `${task.kind} turn ${task.model}`,
    kind: kinds.internal,
    fromMs: trace.timeOf(trace.begunAt),
    toMs: overMs,
    error,
    contents: contents?.whole,
    attributes: { ...nameSpan(task), "gateway.task.tries": task.tries },
    links:
      isTakenOver && made !== undefined
        ? [{ traceId: made.traceId, spanId: made.spanId, attributes: { "gateway.link": "made by another process" } }]
        : []
  })
  return [turn, ...callSpans(trace, overMs, { contents })]
}

const nameSpan = ({ account, id, key, kind, model, state, upstream }: TracedTask) => ({
  "gateway.task.id": id,
  "gateway.task.kind": kind,
  "gateway.task.state": state,
  "gateway.account": account,
  "gateway.key": key,
  "gateway.model": model,
  "gateway.upstream": upstream ?? undefined
})

/** A callback attempt. Times in Unix ms. */
export interface TracedDelivery {
  readonly id: string
  readonly taskId: string
  /** The reported state. */
  readonly state: string
  readonly host: string
  readonly attempt: number
  readonly fromMs: number
  readonly toMs: number
  readonly status: number | undefined
  readonly reason: string | undefined
}

export const deliverySpan = (trace: Trace, delivery: TracedDelivery): OtlpSpan =>
  otlpSpan({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentId,
    name: "POST callback",
    kind: kinds.client,
    fromMs: delivery.fromMs,
    toMs: delivery.toMs,
    error: delivery.reason,
    attributes: {
      "http.request.method": "POST",
      "server.address": delivery.host,
      "http.response.status_code": delivery.status,
      "error.type": delivery.reason === undefined ? undefined : String(delivery.status ?? "no answer"),
      "gateway.delivery.id": delivery.id,
      "gateway.delivery.attempt": delivery.attempt,
      "gateway.task.id": delivery.taskId,
      "gateway.task.state": delivery.state
    }
  })
