import { Effect, Runtime } from "effect"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Attempt } from "../contract/RequestRecord.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Route } from "../routing/Route.ts"
import type { Watcher } from "../routing/tryRoutes.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { hintOf } from "../upstreams/hintOf.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { routeMetrics } from "./generationMetrics.ts"

/** Where failed calls to upstreams are counted and logged, a line for each, so that no fallback is silent. */
export const makeFailedAttempts = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const log = (line: Readonly<Record<string, unknown>>): void =>
    void Runtime.runFork(runtime)(
      Effect.logWarning("a call to an upstream failed").pipe(
        Effect.annotateLogs(Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)))
      )
    )
  return { ...routeMetrics(yield* Metrics), log } as const
})

type FailedAttempts = Effect.Effect.Success<typeof makeFailedAttempts>

/** The calls that one request makes until somebody answers it. */
export class Attempts implements Watcher {
  readonly #failed: FailedAttempts
  readonly #request: Incoming
  readonly #model: string
  #route: Route | undefined
  #count = 0
  #calledAt = 0
  #upstreamRequestId: string | undefined

  /** @param model as the caller asked for it */
  constructor(failed: FailedAttempts, request: Incoming, model: string) {
    this.#failed = failed
    this.#request = request
    this.#model = model
  }

  /** An upstream is called now. */
  calls(route: Route): void {
    this.#route = route
    this.#count++
    this.#calledAt = performance.now()
  }

  failed(upstream: string, error: UpstreamError): void {
    const { failure, said, status, upstreamRequestId } = error
    this.#failed.failed(upstream, error)
    this.#note({ status, error: failure.message, requestId: upstreamRequestId })
    this.#failed.log({
      ...this.#line(),
      status,
      error: failure.message,
      said,
      upstream_request_id: upstreamRequestId,
      hint: hintOf(upstream, error)
    })
  }

  again(upstream: string, how: "again" | "elsewhere"): void {
    this.#failed.again(upstream, how)
  }

  refused(upstream: string, { keptBack, upstreamRequestId }: UpstreamError): void {
    if (keptBack !== true) this.#tell(upstream, upstreamRequestId)
  }

  /** Names who answers. */
  answered({ upstreamRequestId }: Generation): void {
    this.#upstreamRequestId = upstreamRequestId
    this.#note({ status: 200, error: undefined, requestId: upstreamRequestId })
    this.#tell(this.#route?.upstream ?? "", upstreamRequestId)
  }

  /** An answer that had begun failed: an error inside a 200, a connection that broke. */
  brokeOff(failure: Failure): void {
    this.#request.record?.failed(failure)
    this.#failed.log({
      ...this.#line(),
      status: 200,
      error: failure.message,
      upstream_request_id: this.#upstreamRequestId
    })
  }

  #note(how: Pick<Attempt, "status" | "error" | "requestId">): void {
    this.#request.record?.attempted({
      ...how,
      upstream: this.#route?.upstream ?? "",
      model: this.#route?.model ?? "",
      durationMs: performance.now() - this.#calledAt
    })
  }

  #line() {
    return {
      event: "upstream.attempt",
      request_id: this.#request.id,
      model: this.#model,
      upstream: this.#route?.upstream,
      upstream_model: this.#route?.model,
      attempt: this.#count,
      duration_ms: Math.round(performance.now() - this.#calledAt)
    }
  }

  #tell(upstream: string, upstreamRequestId: string | undefined): void {
    const { replyHeaders } = this.#request
    replyHeaders["x-gateway-upstream"] = upstream
    if (upstreamRequestId !== undefined) replyHeaders["x-upstream-request-id"] = upstreamRequestId
  }
}
