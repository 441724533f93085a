import { randomBytes } from "node:crypto"
import type { Counts } from "./measures.ts"
import type { ToolOutcome } from "./ToolOutcome.ts"

/** The span that a `traceparent` names (W3C Trace Context). */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/** The texts of a generation, and the names of the attributes that were cut. */
export interface TracedContents {
  /** Attributes of the call that answered, as JSON. */
  readonly attributes: Readonly<Record<string, string>>
  /** Attributes of the request as a whole: the newest message and the answer, in words. */
  readonly whole: Readonly<Record<string, string>>
  readonly cut: ReadonlyArray<string>
}

/** The data of one upstream call's span. Times are those of `performance.now()`. */
export class TracedCall {
  readonly spanId = newSpanId()
  readonly begunAt = performance.now()
  readonly upstream: string
  readonly provider: string
  readonly operation: string
  /** The upstream's id of the model. */
  readonly model: string
  readonly stream: boolean
  endedAt: number | undefined
  /** Arrival of the answer's first chunk. */
  firstPieceAt: number | undefined
  status: number | undefined
  /** The failure's kind. */
  error: string | undefined
  /** The failure's log message. */
  message: string | undefined
  upstreamRequestId: string | undefined
  used: Counts | undefined

  constructor(to: Pick<TracedCall, "upstream" | "provider" | "operation" | "model" | "stream">) {
    this.upstream = to.upstream
    this.provider = to.provider
    this.operation = to.operation
    this.model = to.model
    this.stream = to.stream
  }
}

/** The data of the span of a tool's call. */
export class TracedTool {
  readonly spanId = newSpanId()
  readonly begunAt = performance.now()
  readonly id: string
  readonly server: string
  readonly tool: string
  endedAt: number | undefined
  outcome: ToolOutcome | undefined

  constructor({ id, server, tool }: Pick<TracedTool, "id" | "server" | "tool">) {
    this.id = id
    this.server = server
    this.tool = tool
  }

  end(outcome: ToolOutcome): void {
    this.endedAt = performance.now()
    this.outcome = outcome
  }
}

/** The span of a request or of one run of a task. Present if it is sampled or continues a caller's trace. */
export class Trace implements SpanContext {
  readonly traceId: string
  readonly spanId = newSpanId()
  readonly parentId: string | undefined
  readonly isSampled: boolean
  /** The caller's `tracestate`. */
  readonly state: string | undefined
  readonly calls: Array<TracedCall> = []
  tools: ReadonlyArray<TracedTool> = []
  /** Set if the account's traces carry contents; may never be fulfilled. */
  contents: Promise<TracedContents> | undefined
  readonly begunAt = performance.now()
  readonly #begunMs = Date.now()

  constructor(parent: SpanContext | undefined, isSampled: boolean, state?: string) {
    this.traceId = parent?.traceId ?? randomBytes(16).toString("hex")
    this.parentId = parent?.spanId
    this.isSampled = isSampled
    this.state = state
  }

  /** Converts a time of `performance.now()` to Unix ms. */
  timeOf(at: number): number {
    return this.#begunMs + (at - this.begunAt)
  }

  /** Starts the span of an upstream call; undefined if the trace is not sampled. */
  call(to: ConstructorParameters<typeof TracedCall>[0]): TracedCall | undefined {
    if (!this.isSampled) return undefined
    const call = new TracedCall(to)
    this.calls.push(call)
    return call
  }

  /** Starts the span of a tool's call; undefined if the trace is not sampled. */
  callTool(to: ConstructorParameters<typeof TracedTool>[0]): TracedTool | undefined {
    if (!this.isSampled) return undefined
    const tool = new TracedTool(to)
    this.tools = [...this.tools, tool]
    return tool
  }

  /** Headers for an upstream call. @param spanId of the call, otherwise the enclosing span's */
  headers(spanId = this.isSampled ? this.spanId : (this.parentId ?? this.spanId)): Readonly<Record<string, string>> {
    const traceparent = writtenContext({ traceId: this.traceId, spanId, isSampled: this.isSampled })
    return this.state === undefined ? { traceparent } : { traceparent, tracestate: this.state }
  }
}

/** The `traceparent` that is stored with work that continues later; null if the trace is not sampled. */
export const recordedAt = (trace: Trace | undefined): string | null =>
  trace?.isSampled === true ? writtenContext(trace) : null

/** The field by which a line of the log finds its span; none if the trace is not sampled. */
export const tracedBy = (trace: Trace | undefined): { readonly traceparent?: string } => {
  const traceparent = recordedAt(trace)
  return traceparent === null ? {} : { traceparent }
}

/** Formats a `traceparent`. */
export const writtenContext = ({ isSampled, spanId, traceId }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`

/** Parses a `traceparent`; undefined if it is invalid. */
export const readContext = (text: string | null | undefined): SpanContext | undefined => {
  if (text === null || text === undefined) return undefined
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] = traceparent.exec(text) ?? []
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$/

const newSpanId = (): string => randomBytes(8).toString("hex")
