import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { Deferred, Effect } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { everySecond } from "../../flow/schedules.ts"
import { contentBytes, keyValues } from "./OtlpSpan.ts"
import type { OtlpSpan } from "./OtlpSpan.ts"
import type { OtlpSettings } from "./otlpSettings.ts"

export interface SpanQueue {
  /** Queues spans, with a plain call that never waits and never fails. */
  readonly add: (spans: ReadonlyArray<OtlpSpan>) => void
  /** Spans that the collector accepted, and spans lost to a full queue, a refusal or an unreachable collector. */
  readonly counts: () => { readonly exported: number; readonly dropped: number }
}

/** Pause after the collector was unreachable, in ms; doubled each time, up to a minute. */
const pauseMs = 1_000
const longestPauseMs = 60_000
/** Time to export the remaining spans at shutdown. */
const longestFlush = "3 seconds"

/** The most bytes of contents that wait, and that go together; collectors take a few MB at a time. */
const mostWaiting = 32 * 1024 * 1024
const mostTogether = 1024 * 1024

/** Retryable statuses (OTLP specification). */
const retryable = new Set([429, 502, 503, 504])

/**
 * Exports spans to a collector in batches. The library's own queue has no bound and no counts. An unreachable collector
 * costs one warning and the spans beyond the queue's capacity.
 */
export const makeSpanQueue = (
  settings: Omit<OtlpSettings, "sampler">
): Effect.Effect<SpanQueue, never, HttpClient.HttpClient | OtlpSerialization | Daemons | Scope.Scope> =>
  Effect.gen(function* () {
    const serialization = yield* OtlpSerialization
    const client = yield* HttpClient.HttpClient
    const { headers, isPacked, queue, resource, timeoutMs, url } = settings
    const { batch, capacity, delayMs } = queue
    const scope = { name: "model-gateway", version: resource["service.version"] }
    let waiting: Array<OtlpSpan> = []
    let exported = 0
    let dropped = 0
    let bytes = 0
    let misses = 0
    let isFull = yield* Deferred.make<void>()
    const alone = yield* Effect.makeSemaphore(1)

    const body = (spans: ReadonlyArray<OtlpSpan>): HttpBody.HttpBody => {
      const about = { attributes: keyValues(resource), droppedAttributesCount: 0 }
      const whole = serialization.traces({ resourceSpans: [{ resource: about, scopeSpans: [{ scope, spans }] }] })
      if (!isPacked || whole._tag !== "Uint8Array") return whole
      return HttpBody.uint8Array(Bun.gzipSync(new Uint8Array(whole.body)), whole.contentType)
    }

    /** @returns accepted, refused for good, or `unreachable`: to be sent again */
    const send = (spans: ReadonlyArray<OtlpSpan>): Effect.Effect<"accepted" | "refused" | "unreachable"> =>
      Effect.suspend(() =>
        client.execute(
          HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders({ ...(isPacked ? { "content-encoding": "gzip" } : {}), ...headers }),
            HttpClientRequest.setBody(body(spans))
          )
        )
      ).pipe(
        Effect.tap((response) => Effect.ignore(response.text)),
        Effect.timeout(timeoutMs),
        Effect.flatMap(({ status }) => {
          if (status < 300) return Effect.succeed("accepted" as const)
          const outcome = retryable.has(status) ? ("unreachable" as const) : ("refused" as const)
          return Effect.as(warn(`status ${status}`), outcome)
        }),
        Effect.catchAll((error) => Effect.as(warn(error.message), "unreachable" as const)),
        Effect.withTracerEnabled(false),
        Effect.scoped
      )

    /** Warns of the first miss in a row. */
    const warn = (why: string) =>
      misses > 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("the collector accepts no spans"), {
            event: "traces.not_exported",
            reason: why
          })

    /** Requeues spans before newer ones, and drops the oldest beyond the capacity. */
    const putBack = (spans: ReadonlyArray<OtlpSpan>): void => {
      const lost = Math.max(0, waiting.length + spans.length - capacity)
      dropped += lost
      waiting = [...spans.slice(lost), ...waiting]
      bytes = waiting.reduce((sum, span) => sum + contentBytes(span), 0)
    }

    /** A batch: fewer spans if they have contents. */
    const take = (): ReadonlyArray<OtlpSpan> => {
      let count = 0
      let together = 0
      for (const span of waiting.slice(0, batch)) {
        const more = contentBytes(span)
        if (count > 0 && together + more > mostTogether) break
        together += more
        count++
      }
      bytes -= together
      return waiting.splice(0, count)
    }

    const exportSome = alone.withPermits(1)(
      Effect.suspend(() => {
        const spans = take()
        return send(spans).pipe(
          Effect.onInterrupt(() => Effect.sync(() => putBack(spans))),
          Effect.map((outcome) => {
            misses = outcome === "accepted" ? 0 : misses + 1
            if (outcome === "accepted") exported += spans.length
            else if (outcome === "refused") dropped += spans.length
            else putBack(spans)
            return outcome
          })
        )
      })
    )

    const pass = Effect.gen(function* () {
      if (waiting.length > 0) {
        const outcome = yield* exportSome
        if (outcome === "unreachable") {
          return Effect.sleep(Math.min(pauseMs * 2 ** (misses - 1), longestPauseMs))
        }
        if (waiting.length >= batch) return Effect.yieldNow()
      }
      isFull = yield* Deferred.make<void>()
      const full = isFull
      return waiting.length >= batch ? Effect.yieldNow() : Effect.timeoutOption(Deferred.await(full), delayMs)
    })
    yield* daemon("traces", pass, everySecond)

    const flush: Effect.Effect<void> = Effect.suspend(() =>
      waiting.length === 0
        ? Effect.void
        : Effect.flatMap(exportSome, (outcome) => (outcome === "unreachable" ? Effect.void : flush))
    )
    // Finalizers run in reverse order: this one before the daemon is stopped.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flush), longestFlush))

    return {
      add: (spans) => {
        for (const span of spans) {
          const more = contentBytes(span)
          if (waiting.length >= capacity || (more > 0 && bytes + more > mostWaiting)) dropped++
          else {
            waiting.push(span)
            bytes += more
          }
        }
        if (waiting.length >= batch) Deferred.unsafeDone(isFull, Effect.void)
      },
      counts: () => ({ exported, dropped })
    }
  })
