import { Cause, Effect, Runtime } from "effect"
import { unansweredOutcome } from "../contract/records/CallOutcome.ts"
import type { CallOutcome } from "../contract/records/CallOutcome.ts"
import { errorName } from "../contract/failures/errorName.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Attempt } from "../contract/records/Attempt.ts"
import { tracedBy } from "../contract/records/Trace.ts"
import type { TracedCall } from "../contract/records/Trace.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Price } from "../ledger/Price.ts"
import type { Route } from "../routing/Route.ts"
import type { Watcher } from "../routing/tryRoutes.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { hintOf } from "../upstreams/calls/hintOf.ts"
import { isAway } from "../upstreams/UpstreamError.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import { attemptMetrics } from "../routing/attemptMetrics.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { generationMetrics } from "./generationMetrics.ts"
import type { Counted } from "./generationMetrics.ts"
import { SentCalls } from "./SentCalls.ts"
import { endCall, tellCall } from "./tracedCall.ts"
import { kinds } from "../contract/kinds.ts"

/** Counts calls to upstreams and logs each failed one, so that no fallback goes unnoticed. */
export const makeFailedAttempts = Effect.gen(function* () {
  const metrics = yield* Metrics
  const runtime = yield* Effect.runtime()
  const log = (line: Readonly<Record<string, unknown>>): void =>
    void Runtime.runFork(runtime)(
      Effect.logWarning("a call to an upstream failed").pipe(
        Effect.annotateLogs(Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)))
      )
    )
  return {
    ...attemptMetrics(metrics),
    generations: generationMetrics(metrics),
    calls: yield* UpstreamCalls,
    log
  } as const
})

/** Headers that name the upstream that answered or refused, and its id of the call. */
const [upstreamHeader, idHeader] = ["x-gateway-upstream", "x-upstream-request-id"] as const

/** Error types if the client disconnects, the gateway stops, the cause is unknown, and another route answered first. */
const [hangUp, stopped, unknown, outpaced] = ["hang_up", "upstream_failed", "internal", "outpaced"] as const

type FailedAttempts = Effect.Effect.Success<typeof makeFailedAttempts>

/** A request's calls until an upstream answers, and the outcome of the answer. */
export class Attempts implements Counted, Watcher {
  readonly #failed: FailedAttempts
  readonly #request: Incoming
  /** True if the model of the current route prefers the fastest. */
  #isTimed = false
  /** A wildcard's pattern, because callers choose what it stands for. */
  readonly model: string
  readonly #id: string
  readonly operation: Counted["operation"]
  readonly stream: boolean
  readonly begunAt = performance.now()
  readonly sent = new SentCalls()
  provider = ""
  /** The running call; undefined without tracing. */
  #traced: TracedCall | undefined
  #error: string | undefined
  #route: Route | undefined
  #count = 0
  #isCalling = false
  #calledAt = 0
  /** When it began to wait for a slot, and for how long it waited. */
  #queuedAt: number | undefined
  #queueMs: number | undefined
  #upstreamRequestId: string | undefined
  /** The reply's headers when the requested model had failed. */
  #requested: Readonly<Record<string, string>> = {}
  /** The failure of all routes of the last model, while another model may answer. */
  failure: Failure | undefined

  constructor(
    failed: FailedAttempts,
    request: Incoming,
    { id, kind, wildcard }: Pick<Model, "id" | "kind" | "wildcard">,
    stream: boolean
  ) {
    this.#failed = failed
    this.#request = request
    this.model = wildcard ?? id
    this.#id = id
    this.operation = kinds[kind].operation
    this.stream = stream
  }

  /** A route of a model was chosen. */
  calls(
    route: Route & { readonly price: Price },
    { name, provider }: Pick<TextUpstream, "name" | "provider">,
    { prefer }: Pick<Model, "prefer">
  ): void {
    this.#route = route
    this.#isTimed = prefer === "fastest"
    this.provider = provider ?? name
    const { trace } = this.#request
    if (trace !== undefined) this.#traced = trace.call(this.#callOf(route))
    this.#count++
    this.sent.begins(route)
    this.#isCalling = true
    this.#calledAt = performance.now()
    this.#queuedAt = undefined
    this.#queueMs = undefined
  }

  /** The call enters the queue. */
  queues(): void {
    this.#queuedAt ??= performance.now()
  }

  /** Sends the call, which has left the queue. */
  sends<A>(call: () => A): A {
    this.#queueMs ??= this.#waitedMs()
    const sent = call()
    this.sent.sends()
    return sent
  }

  /** The trace headers for the upstream. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#request.trace?.headers(this.#traced?.spanId)
  }

  failed(upstream: string, error: UpstreamError): void {
    const { failure, said, status, upstreamRequestId } = error
    const outcome = error.keptBack === true ? "unsent" : unansweredOutcome(status)
    this.#note(outcome, { status, error: failure.message, requestId: upstreamRequestId })
    this.sent.failed(error.gaveUp === true)
    if (!isAway(error) && this.#request.record !== undefined) this.#request.record.mayBeAtFault = true
    if (this.#traced !== undefined) endCall(this.#traced, errorName(failure), undefined)
    this.#failed.log({
      ...this.#line(),
      status,
      error: failure.message,
      said,
      upstream_request_id: upstreamRequestId,
      hint: hintOf(upstream, error, { key: this.#route?.key })
    })
  }

  again(upstream: string, how: "again" | "elsewhere"): void {
    this.#failed.again(upstream, how)
  }

  refused(upstream: string, { keptBack, upstreamRequestId }: UpstreamError): void {
    if (keptBack !== true) this.#tell(upstream, upstreamRequestId)
  }

  /** An upstream answered. */
  answered({ upstreamRequestId }: Generation): void {
    this.#upstreamRequestId = upstreamRequestId
    const tookMs = this.#note("answered", { status: 200, error: undefined, requestId: upstreamRequestId })
    if (this.#isTimed && this.#route !== undefined) this.#failed.calls.times.answered(this.#route, tookMs, Date.now())
    this.#tell(this.#route?.upstream ?? "", upstreamRequestId)
    this.#failed.generations.begun(this.stream)
  }

  /** The requested model failed: `recall` puts its upstream back into the headers if no other model answers. */
  remember(): void {
    this.#requested = { ...this.#request.replyHeaders }
  }

  recall(): void {
    const { replyHeaders } = this.#request
    for (const name of [upstreamHeader, idHeader]) {
      delete replyHeaders[name]
      const value = this.#requested[name]
      if (value !== undefined) replyHeaders[name] = value
    }
  }

  /** No upstream answered. */
  neverBegan(cause: Cause.Cause<Failure>): void {
    const isStopping = this.#request.shutdown.aborted
    if (!Cause.isInterrupted(cause)) {
      this.#failed.generations.refused(this, cause._tag === "Fail" ? errorName(cause.error) : unknown)
      return
    }
    this.#failed.generations.refused(this, isStopping ? stopped : hangUp)
    this.left(isStopping)
  }

  /** The running call was cancelled because the client left or the gateway stops. */
  left(isStopping: boolean): void {
    if (isStopping) this.#cancelled("stopped", stopped, "The gateway is shutting down")
    else this.#cancelled("left", hangUp, undefined)
  }

  /** The running call was cancelled because another route answered first. */
  outpaced(): void {
    this.#cancelled("outpaced", outpaced, "another route answered first")
  }

  /** Counts on from the calls of another. */
  continues(other: Attempts): void {
    this.#count = other.#count
  }

  /** @param traced the error type in traces */
  #cancelled(outcome: "left" | "stopped" | "outpaced", traced: string, error: string | undefined): void {
    if (!this.#isCalling) return
    const isSent = this.sent.count > 0
    this.#note(isSent ? outcome : "unsent", { status: undefined, error, requestId: undefined })
    if (this.#traced !== undefined) endCall(this.#traced, traced, undefined)
  }

  /** The first content arrived. */
  firstPiece(): void {
    if (this.#traced !== undefined) this.#traced.firstPieceAt = performance.now()
    this.#failed.generations.answers(this)
  }

  /** An answer failed midway: an error inside a 200, or a broken connection. */
  brokeOff(failure: Failure): void {
    this.#error = errorName(failure)
    this.#request.record?.brokeOff(failure)
    const upstream = this.#route?.upstream ?? ""
    this.#failed.broke(upstream)
    this.#failed.calls.of(upstream).brokeOff(failure.message, Date.now())
    this.#failed.log({
      ...this.#line(),
      status: 200,
      error: failure.message,
      upstream_request_id: this.#upstreamRequestId
    })
  }

  /** The answer ended. */
  over(how: "finished" | "failed" | "hang-up", used: Usage): void {
    const error = how === "finished" ? undefined : how === "hang-up" ? hangUp : (this.#error ?? unknown)
    this.#failed.generations.over(this, error, used)
    if (this.#traced !== undefined) endCall(this.#traced, error, used)
    const { record } = this.#request
    if (record !== undefined) record.used = used
  }

  /** Records the call with its outcome. Returns its duration in ms. */
  #note(outcome: CallOutcome, { error, requestId, status }: Pick<Attempt, "status" | "error" | "requestId">): number {
    this.#isCalling = false
    const { key, model = "", upstream = "" } = this.#route ?? {}
    const durationMs = performance.now() - this.#calledAt
    const queueMs = this.#queueMs ?? this.#waitedMs()
    const calls = outcome === "unsent" ? 0 : Math.max(1, this.sent.count)
    if (calls > 0) {
      this.#failed.attempted(upstream, { outcome, status, calls }, durationMs)
      this.#failed.calls.of(upstream).ended({ outcome, calls, tookMs: durationMs, status, error }, Date.now())
    }
    if (this.#traced !== undefined) tellCall(this.#traced, status, error, requestId)
    const attempt = { outcome, calls, upstream, model, key, status, error, queueMs, durationMs, requestId }
    this.#request.record?.attempted(attempt, this.#calledAt)
    return durationMs
  }

  /** A free slot is no wait. */
  #waitedMs(): number {
    const waitedMs = this.#queuedAt === undefined ? 0 : performance.now() - this.#queuedAt
    return waitedMs < 1 ? 0 : waitedMs
  }

  #callOf({ model, upstream }: Route) {
    return { upstream, model, provider: this.provider, operation: this.operation, stream: this.stream }
  }

  #line() {
    return {
      event: "upstream.attempt",
      request_id: this.#request.id,
      model: this.#id,
      upstream: this.#route?.upstream,
      upstream_model: this.#route?.model,
      upstream_key: this.#route?.key,
      attempt: this.#count,
      duration_ms: Math.round(performance.now() - this.#calledAt),
      ...tracedBy(this.#request.trace)
    }
  }

  #tell(upstream: string, upstreamRequestId: string | undefined): void {
    const { replyHeaders } = this.#request
    replyHeaders[upstreamHeader] = upstream
    if (upstreamRequestId !== undefined) replyHeaders[idHeader] = upstreamRequestId
  }
}
