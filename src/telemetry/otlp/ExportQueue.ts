import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import type { HttpClientResponse } from "@effect/platform"
import { Deferred, Effect, Stream } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { everySecond } from "../../flow/schedules.ts"
import type { ExportSettings } from "./exportSettings.ts"
import { partialSuccess } from "./partialSuccess.ts"
import { wellFormed } from "./values.ts"

export interface ExportQueue<Item> {
  /** Queues items, with a plain call that never waits and never fails. */
  readonly add: (items: ReadonlyArray<Item>) => void
  /** Items that the collector accepted, and items lost to a full queue, a refusal or an unreachable collector. */
  readonly counts: () => { readonly exported: number; readonly dropped: number }
}

interface Exported<Item> {
  /** The daemon's name, and the first part of the event of failures. */
  readonly name: "traces" | "logs"
  /** The items in words. */
  readonly noun: string
  /** About the bytes of an item that may be large; 0 for others. */
  readonly bytesOf: (item: Item) => number
  /** The request of some items, as in OTLP's JSON. */
  readonly request: (items: ReadonlyArray<Item>) => object
}

/** Pause after the collector was unreachable, in ms; doubled each time, up to a minute. */
const pauseMs = 1_000
const longestPauseMs = 60_000
/** The longest pause that a collector may ask for. */
const longestAskedMs = 600_000
/** Time to export the remaining items at shutdown. */
const longestFlush = "3 seconds"

/** The most bytes of large items that wait, and that go together; collectors take a few MB at a time. */
const mostWaiting = 32 * 1024 * 1024
const mostTogether = 1024 * 1024

/** The part of a collector's answer that is read: bytes and time. */
const mostOfAnswer = 64 * 1024
const longestAnswer = "1 second"

/** Retryable statuses (OTLP specification). */
const retryable = new Set([429, 502, 503, 504])
/** Statuses of a collector that does not know the signal. */
const unknown = new Set([404, 405, 501])

type Outcome =
  | { readonly kind: "accepted"; readonly rejected: number }
  | { readonly kind: "refused" }
  /** To be sent again. */
  | { readonly kind: "unreachable"; readonly afterMs: number }
  /** Nothing more is to be sent. */
  | { readonly kind: "unknown" }

/**
 * Exports items to a collector in batches. An unreachable collector costs one warning and the items beyond the queue's
 * capacity. Redirects are not followed: the headers have a secret.
 */
export const makeExportQueue = <Item>(
  { bytesOf, name, noun, request }: Exported<Item>,
  settings: ExportSettings
): Effect.Effect<ExportQueue<Item>, never, HttpClient.HttpClient | OtlpSerialization | Daemons | Scope.Scope> =>
  Effect.gen(function* () {
    const serialization = yield* OtlpSerialization
    const client = yield* HttpClient.HttpClient
    const { isPacked, queue, timeoutMs, url } = settings
    const { batch, capacity, delayMs } = queue
    const headers = { ...(isPacked ? { "content-encoding": "gzip" } : {}), ...settings.headers }
    let waiting: Array<Item> = []
    let exported = 0
    let dropped = 0
    let bytes = 0
    let misses = 0
    /** The collector's refusals are logged, and were not followed by a success. */
    let isTold = false
    let isOver = false
    let isFull = yield* Deferred.make<void>()
    const alone = yield* Effect.makeSemaphore(1)

    const body = (items: ReadonlyArray<Item>): HttpBody.HttpBody => {
      const whole = serialization[name](request(items))
      if (!isPacked || whole._tag !== "Uint8Array") return whole
      return HttpBody.uint8Array(Bun.gzipSync(new Uint8Array(whole.body)), whole.contentType)
    }

    const send = (items: ReadonlyArray<Item>): Effect.Effect<Outcome> =>
      Effect.suspend(() =>
        client.execute(
          HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders(headers),
            HttpClientRequest.setBody(body(items))
          )
        )
      ).pipe(
        Effect.timeout(timeoutMs),
        Effect.flatMap((response) =>
          Effect.flatMap(answerOf(response), (answer) => outcomeOf(items, response, answer))
        ),
        Effect.catchAll((error) => Effect.as(warn(reasonOf(error)), { kind: "unreachable", afterMs: 0 } as const)),
        Effect.withTracerEnabled(false),
        Effect.scoped
      )

    const outcomeOf = (
      items: ReadonlyArray<Item>,
      { headers, status }: HttpClientResponse.HttpClientResponse,
      answer: Uint8Array
    ): Effect.Effect<Outcome> => {
      if (status < 300) {
        const { message, rejected } = partialSuccess(answer)
        const accepted = { kind: "accepted", rejected: Math.min(rejected, items.length) } as const
        if (rejected > 0) return Effect.as(warn(`${accepted.rejected} rejected: ${wellFormed(message)}`), accepted)
        isTold = false
        return Effect.succeed(accepted)
      }
      if (unknown.has(status) && !settings.isChosen) return Effect.succeed({ kind: "unknown" })
      const outcome: Outcome = retryable.has(status)
        ? { kind: "unreachable", afterMs: Math.min(retryAfterMs(headers["retry-after"]), longestAskedMs) }
        : { kind: "refused" }
      return Effect.as(warn(`status ${status}`), outcome)
    }

    /** Warns of the first failure in a row. */
    const warn = (why: string) =>
      Effect.suspend(() => {
        if (isTold) return Effect.void
        isTold = true
        return Effect.annotateLogs(Effect.logWarning(`the collector accepts no ${noun}`), {
          event: `${name}.not_exported`,
          reason: why
        })
      })

    /** Requeues items before newer ones, and drops the oldest beyond the capacity. */
    const putBack = (items: ReadonlyArray<Item>): void => {
      const lost = Math.max(0, waiting.length + items.length - capacity)
      dropped += lost
      waiting = [...items.slice(lost), ...waiting]
      bytes = waiting.reduce((sum, item) => sum + bytesOf(item), 0)
    }

    /** A batch: fewer items if they are large. */
    const take = (): ReadonlyArray<Item> => {
      let count = 0
      let together = 0
      for (const item of waiting.slice(0, batch)) {
        const more = bytesOf(item)
        if (count > 0 && together + more > mostTogether) break
        together += more
        count++
      }
      bytes -= together
      return waiting.splice(0, count)
    }

    const exportSome = alone.withPermits(1)(
      Effect.suspend(() => {
        const items = take()
        return send(items).pipe(
          Effect.onInterrupt(() => Effect.sync(() => putBack(items))),
          Effect.tap((outcome) => {
            misses = outcome.kind === "unreachable" ? misses + 1 : 0
            switch (outcome.kind) {
              case "accepted":
                exported += items.length - outcome.rejected
                dropped += outcome.rejected
                return Effect.void
              case "refused":
                dropped += items.length
                return Effect.void
              case "unreachable":
                putBack(items)
                return Effect.void
              case "unknown":
                isOver = true
                waiting = []
                bytes = 0
                return Effect.annotateLogs(Effect.logInfo(`the collector takes no ${noun}: none are exported`), {
                  event: `${name}.not_exported`
                })
            }
          })
        )
      })
    )

    const pass = Effect.gen(function* () {
      if (waiting.length > 0) {
        const outcome = yield* exportSome
        if (outcome.kind === "unreachable") {
          const pause = Math.min(pauseMs * 2 ** (misses - 1), longestPauseMs)
          return Effect.sleep(Math.max(pause, outcome.afterMs))
        }
        if (waiting.length >= batch) return Effect.yieldNow()
      }
      isFull = yield* Deferred.make<void>()
      const full = isFull
      return waiting.length >= batch ? Effect.yieldNow() : Effect.timeoutOption(Deferred.await(full), delayMs)
    })
    yield* daemon(name, pass, everySecond)

    const flush: Effect.Effect<void> = Effect.suspend(() =>
      waiting.length === 0
        ? Effect.void
        : Effect.flatMap(exportSome, ({ kind }) => (kind === "unreachable" ? Effect.void : flush))
    )
    // Finalizers run in reverse order: this one before the daemon is stopped.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flush), longestFlush))

    return {
      add: (items) => {
        if (isOver) return
        for (const item of items) {
          const more = bytesOf(item)
          if (waiting.length >= capacity || (more > 0 && bytes + more > mostWaiting)) dropped++
          else {
            waiting.push(item)
            bytes += more
          }
        }
        if (waiting.length >= batch) Deferred.unsafeDone(isFull, Effect.void)
      },
      counts: () => ({ exported, dropped })
    }
  })

/** The beginning of an answer, which may have no end. */
const answerOf = ({ stream }: HttpClientResponse.HttpClientResponse): Effect.Effect<Uint8Array> =>
  stream.pipe(
    Stream.runFoldWhile(
      new Uint8Array(),
      (read) => read.length < mostOfAnswer,
      (read, chunk) => Buffer.concat([read, chunk])
    ),
    Effect.timeout(longestAnswer),
    Effect.orElseSucceed(() => new Uint8Array())
  )

/** An address may have a secret in it, so the library's own message, which has the address, is not told. */
const reasonOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.name)

/** Seconds or a date. */
const retryAfterMs = (header: string | undefined): number => {
  if (header === undefined) return 0
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return ms > 0 ? ms : 0
}
