import { randomBytes } from "node:crypto"

/** What a `traceparent` names: a span, whose trace it is in, and whether that is recorded (W3C Trace Context). */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/** One call of an upstream, as far as its span needs it. Times are of `performance.now()`. */
export class TracedCall {
  readonly spanId = newSpanId()
  readonly begunAt = performance.now()
  readonly upstream: string
  readonly provider: string
  readonly operation: string
  /** As the upstream calls it. */
  readonly model: string
  readonly stream: boolean
  endedAt: number | undefined
  /** When the first piece of its answer came. */
  firstPieceAt: number | undefined
  status: number | undefined
  /** What kind of failure it ended with. */
  error: string | undefined
  /** What the log says of it. */
  message: string | undefined
  upstreamRequestId: string | undefined
  used:
    | {
        readonly inputTokens: number
        readonly outputTokens: number
        readonly cacheReadTokens: number
        readonly cacheWriteTokens: number
        readonly reasoningTokens: number
      }
    | undefined

  constructor(to: Pick<TracedCall, "upstream" | "provider" | "operation" | "model" | "stream">) {
    this.upstream = to.upstream
    this.provider = to.provider
    this.operation = to.operation
    this.model = to.model
    this.stream = to.stream
  }
}

/** A piece of work in a trace: a request, or a task's turn. There for those that are recorded, or belong to somebody's trace. */
export class Trace implements SpanContext {
  readonly traceId: string
  readonly spanId = newSpanId()
  /** The span that it is below of. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
  /** The caller's `tracestate`. */
  readonly state: string | undefined
  readonly calls: Array<TracedCall> = []
  readonly begunAt = performance.now()
  readonly #begunMs = Date.now()

  constructor(parent: SpanContext | undefined, isSampled: boolean, state?: string) {
    this.traceId = parent?.traceId ?? randomBytes(16).toString("hex")
    this.parentId = parent?.spanId
    this.isSampled = isSampled
    this.state = state
  }

  /** Unix ms, of a time of `performance.now()`. */
  timeOf(at: number): number {
    return this.#begunMs + (at - this.begunAt)
  }

  /** An upstream is called now; undefined where that is not recorded. */
  call(to: ConstructorParameters<typeof TracedCall>[0]): TracedCall | undefined {
    if (!this.isSampled) return undefined
    const call = new TracedCall(to)
    this.calls.push(call)
    return call
  }

  /** What whoever is called is told. @param spanId of the call; where it has no span, the one above is named */
  headers(spanId = this.isSampled ? this.spanId : (this.parentId ?? this.spanId)): Readonly<Record<string, string>> {
    const traceparent = writtenContext({ traceId: this.traceId, spanId, isSampled: this.isSampled })
    return this.state === undefined ? { traceparent } : { traceparent, tracestate: this.state }
  }
}

/** What is kept of a trace with what goes on in it later: its `traceparent`; null where it is not recorded. */
export const recordedAt = (trace: Trace | undefined): string | null =>
  trace?.isSampled === true ? writtenContext(trace) : null

/** As a `traceparent`. */
export const writtenContext = ({ isSampled, spanId, traceId }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`

/** Reads a `traceparent`; undefined where it is none. */
export const readContext = (text: string | null | undefined): SpanContext | undefined => {
  if (text === null || text === undefined) return undefined
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] = traceparent.exec(text) ?? []
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,256})?$/

const newSpanId = (): string => randomBytes(8).toString("hex")
