import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { Deferred, Effect } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { everySecond } from "../../flow/schedules.ts"
import { keyValues } from "./OtlpSpan.ts"
import type { OtlpSpan } from "./OtlpSpan.ts"
import type { OtlpSettings } from "./otlpSettings.ts"

export interface SpanQueue {
  /** A plain call that never waits and never fails. */
  readonly add: (spans: ReadonlyArray<OtlpSpan>) => void
  /** Spans that the collector took, and those that it did not: there was no room, or it refused them or was away. */
  readonly counts: () => { readonly exported: number; readonly dropped: number }
}

/** How long the collector is left alone after it could not be reached, in ms; doubled each time, up to a minute. */
const pauseMs = 1_000
const longestPauseMs = 60_000
/** How long what is left may take when the process stops. */
const longestFlush = "3 seconds"

/** What a collector may be asked again with (OTLP's own list). */
const mayBeAskedAgain = new Set([429, 502, 503, 504])

/**
 * Spans on their way to a collector, many at a time: the library's own queue has no bound and counts nothing. A
 * collector that is away costs the spans that there is no room for, a line in the log, and nothing else.
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
    let misses = 0
    let isFull = yield* Deferred.make<void>()
    const alone = yield* Effect.makeSemaphore(1)

    const body = (spans: ReadonlyArray<OtlpSpan>): HttpBody.HttpBody => {
      const about = { attributes: keyValues(resource), droppedAttributesCount: 0 }
      const whole = serialization.traces({ resourceSpans: [{ resource: about, scopeSpans: [{ scope, spans }] }] })
      if (!isPacked || whole._tag !== "Uint8Array") return whole
      return HttpBody.uint8Array(Bun.gzipSync(new Uint8Array(whole.body)), whole.contentType)
    }

    /** @returns what became of them: taken, refused for good, or to be sent again */
    const send = (spans: ReadonlyArray<OtlpSpan>): Effect.Effect<"taken" | "refused" | "away"> =>
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
          if (status < 300) return Effect.succeed("taken" as const)
          const isAway = mayBeAskedAgain.has(status)
          return Effect.as(told(`status ${status}`), isAway ? ("away" as const) : ("refused" as const))
        }),
        Effect.catchAll((error) => Effect.as(told(error.message), "away" as const)),
        Effect.withTracerEnabled(false),
        Effect.scoped
      )

    /** Once, and then only when it was well in between. */
    const told = (why: string) =>
      misses > 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logWarning("the collector takes no spans"), {
            event: "traces.not_exported",
            reason: why
          })

    /** What came meanwhile is newer: of these the oldest go where there is no room. */
    const putBack = (spans: ReadonlyArray<OtlpSpan>): void => {
      const lost = Math.max(0, waiting.length + spans.length - capacity)
      dropped += lost
      waiting = [...spans.slice(lost), ...waiting]
    }

    const exportSome = alone.withPermits(1)(
      Effect.suspend(() => {
        const spans = waiting.splice(0, batch)
        return send(spans).pipe(
          Effect.onInterrupt(() => Effect.sync(() => putBack(spans))),
          Effect.map((became) => {
            misses = became === "taken" ? 0 : misses + 1
            if (became === "taken") exported += spans.length
            else if (became === "refused") dropped += spans.length
            else putBack(spans)
            return became
          })
        )
      })
    )

    const pass = Effect.gen(function* () {
      if (waiting.length > 0) {
        const became = yield* exportSome
        if (became === "away") {
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
        : Effect.flatMap(exportSome, (became) => (became === "away" ? Effect.void : flush))
    )
    // Runs before the fiber above ends.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flush), longestFlush))

    return {
      add: (spans) => {
        for (const span of spans) {
          if (waiting.length >= capacity) dropped++
          else waiting.push(span)
        }
        if (waiting.length >= batch) Deferred.unsafeDone(isFull, Effect.void)
      },
      counts: () => ({ exported, dropped })
    }
  })
