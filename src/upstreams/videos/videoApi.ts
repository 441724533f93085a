import { Data, Effect } from "effect"
import type { Scope } from "effect"
import type { PublicUrl } from "../../config/PublicUrl.ts"
import type { KeptFiles } from "../../files/KeptFiles.ts"
import type { AddressGuard } from "../../guard/AddressGuard.ts"
import { unansweredOutcome } from "../../contract/records/CallOutcome.ts"
import type { CallOutcome } from "../../contract/records/CallOutcome.ts"
import { TraceHeaders } from "../../telemetry/tracing/TraceHeaders.ts"
import { CallReports } from "../calls/CallReports.ts"
import { callUpstream } from "../calls/client.ts"
import { BrokenBody } from "../calls/Exchange.ts"
import type { Call, Deadlines } from "../calls/client.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { addressOf, connectionOf, headersTo, secretsAt } from "../Endpoint.ts"
import type { Endpoint, EndpointOptions } from "../Endpoint.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { numberAt, parseJson, textAt } from "../../contract/json/json.ts"
import type { Rest } from "../../generation/Rest.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"
import { hintOf } from "../calls/hintOf.ts"
import { isAboutInput, troubleOf } from "../protocols/errorMeaning.ts"
import { errorIn } from "../protocols/errorWords.ts"
import { restOf } from "../protocols/restOf.ts"
import { restMs, videoRest } from "../protocols/rests.ts"
import { retryInfoMs } from "../protocols/retryInfo.ts"
import { retryAfter, shownWords, wordsOf } from "../calls/refusal.ts"
import { upstreamRequestIdIn } from "../calls/upstreamRequestId.ts"
import { VideoAmbiguous, VideoRejected, VideoSaturated, VideoTransient } from "./VideoUpstream.ts"
import type { VideoReport } from "./VideoUpstream.ts"

/** The services that video upstreams use: for their files, and for inputs at callers' addresses. */
export type VideoServices = AddressGuard | KeptFiles | PublicUrl | Scope.Scope

/** The options of a configured video upstream. */
export interface VideoUpstreamOptions extends EndpointOptions {
  readonly name: string
  readonly deadlines?: Deadlines
  /** True if its videos tell what they cost, and that is believed. */
  readonly tellsCost?: boolean
}

/** A submit uploads up to 64 MiB; the engine waits two minutes for its outcome. */
export const videoDeadlines: Deadlines = { connectMs: 10_000, firstByteMs: 110_000, idleMs: 30_000 }

/** An answer whose body was read. */
export interface VideoAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined if the body is not JSON. */
  readonly json: unknown
  /** Words of the upstream as callers may see them. */
  readonly shown: (words: string) => string
  /** The error in the answer: the upstream's own code, empty if there is none, and its message without secrets. */
  readonly error: {
    readonly code: string
    readonly message: string | undefined
    readonly trouble: UpstreamTrouble | undefined
    /** The part of the upstream that rests, if it refused for load. */
    readonly rests: Rest | undefined
    /** The delay that Google's errors ask for. */
    readonly retryInfoMs: number | undefined
    /** True if it concerns the caller's input although its status does not say so. */
    readonly isAboutInput: boolean
  }
}

/** No complete answer came. The reason may be logged. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly neverSent: boolean
  readonly reason: string
  /** The system's error code. */
  readonly said?: string | undefined
  /** True if the gateway itself could not call, which says nothing about the upstream. */
  readonly keptBack?: boolean | undefined
}> {}

/** Records are small, and so is a page of them. */
const answerLimit = 4 * 1024 * 1024

export interface VideoApi {
  readonly name: string
  /** @param own headers of this call, and how its answer is read */
  readonly call: (
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: string | FormData,
    own?: { readonly headers?: Readonly<Record<string, string>>; readonly read?: ReadAnswer }
  ) => Effect.Effect<VideoAnswer, NoAnswer>
  /** An answer whose body is still to be read, such as a video's file. */
  readonly open: (path: string, body?: string) => Effect.Effect<Exchange, NoAnswer>
}

/** Reads an answer that may have something large inside, of which the first bytes alone are wanted. */
interface ReadAnswer {
  readonly limit: number
  /** @param text may be cut; undefined: it is JSON */
  readonly json: (text: string) => JsonObject | undefined
}

/** An answer as it came. */
interface PlainAnswer {
  readonly method: string
  readonly status: number
  readonly json: unknown
}

/**
 * A client of an upstream's HTTP API, with its key.
 *
 * @param statusOf the status that an answer means, where an upstream's own says less
 */
export const videoApi = (
  endpoint: Endpoint,
  options: VideoUpstreamOptions,
  statusOf: (answer: PlainAnswer) => number = ({ status }) => status
): VideoApi => {
  const secrets = secretsAt(options)
  const send = (call: Pick<Call, "method" | "body">, path: string, more?: Readonly<Record<string, string>>) =>
    Effect.flatMap(TraceHeaders, (trace) =>
      callUpstream({
        ...call,
        url: addressOf(endpoint, options.baseUrl, path),
        headers: { ...headersTo(endpoint, options, more), ...trace },
        deadlines: options.deadlines ?? videoDeadlines,
        ...connectionOf(options)
      })
    ).pipe(
      Effect.mapError(
        ({ failure, keptBack, neverSent, said }) =>
          new NoAnswer({ neverSent: neverSent === true, reason: failure.message, said, keptBack })
      )
    )
  return {
    name: options.name,
    open: (path, body) => {
      const method = body === undefined ? "GET" : "POST"
      return logged(options.name, method, send({ method, ...(body !== undefined && { body }) }, path))
    },
    call: (method, path, body, own) => {
      const answered = Effect.flatMap(
        send({ method, ...(body !== undefined && { body }) }, path, own?.headers),
        (exchange) =>
          Effect.map(wholeText(exchange, own?.read?.limit), (text) => {
            const json = own?.read?.json(text) ?? parseJson(text)
            const error = errorIn(json)
            const sent = typeof body === "string" ? body : undefined
            const status = statusOf({ method, status: exchange.status, json })
            const providerError = { status, body: json, sent }
            return {
              status,
              headers: exchange.headers,
              json,
              shown: (words: string) => shownWords(words, secrets()),
              error: {
                code: codeIn(error),
                message: wordsOf({ body: text, secrets: secrets(), ...(sent === undefined ? {} : { sent }) }),
                trouble: troubleOf(providerError),
                rests: restOf({ ...providerError, headers: exchange.headers }),
                retryInfoMs: retryInfoMs(error),
                isAboutInput: isAboutInput(providerError)
              }
            }
          })
      )
      return logged(options.name, method, answered)
    }
  }
}

/** The upstream's own code, a number as text; empty if there is none. */
const codeIn = (error: unknown): string =>
  textAt(error, "code") ?? textAt(error, "type") ?? textAt(error, "status") ?? numberAt(error, "code")?.toString() ?? ""

/** The engine interrupts a call for want of an answer after this, in ms; sooner because the work ends. */
const patienceMs = 29_000

/** Reports a call, and logs a failed one. The caller's log annotations name the task. */
const logged = <A extends Pick<VideoAnswer, "status" | "headers"> & Partial<VideoAnswer>>(
  upstream: string,
  method: string,
  call: Effect.Effect<A, NoAnswer>
): Effect.Effect<A, NoAnswer> =>
  Effect.flatMap(CallReports, (report) => {
    const calledAt = performance.now()
    const ended = (outcome: CallOutcome, error?: string, status?: number) =>
      report({ outcome, status, error, durationMs: performance.now() - calledAt, isRead: method === "GET" })
    const failed = (fields: Readonly<Record<string, unknown>>) =>
      Effect.logWarning("a call to an upstream failed").pipe(
        Effect.annotateLogs({
          event: "upstream.attempt",
          upstream,
          method,
          duration_ms: Math.round(performance.now() - calledAt)
        }),
        Effect.annotateLogs(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
      )
    return call.pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() =>
          performance.now() - calledAt < patienceMs ? ended("stopped") : ended("failed", "no answer in time")
        )
      ),
      Effect.tapError(({ keptBack, neverSent, reason, said }) => {
        ended(keptBack === true ? "unsent" : "failed", reason)
        return failed({ error: reason, said, hint: hintOf(upstream, { neverSent, said, status: undefined }) })
      }),
      Effect.tap(({ error, headers, status }) => {
        if (isOk({ status })) return Effect.sync(() => ended("answered", undefined, status))
        ended(error?.isAboutInput === true ? "refused" : unansweredOutcome(status), `status ${status}`, status)
        const said =
          error === undefined ? undefined : [error.code, error.message].filter(Boolean).join(": ") || undefined
        const hint =
          error?.isAboutInput === true ? undefined : hintOf(upstream, { said, status, trouble: error?.trouble })
        return failed({ status, said, upstream_request_id: upstreamRequestIdIn(headers), hint })
      })
    )
  })

const wholeText = (exchange: Exchange, limit = answerLimit): Effect.Effect<string, NoAnswer> =>
  Effect.tryPromise({
    try: () => exchange.text(limit),
    catch: (cause) =>
      new NoAnswer({ neverSent: false, reason: cause instanceof BrokenBody ? cause.message : "unreadable answer" })
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => exchange.cancel())))

export const isOk = ({ status }: Pick<VideoAnswer, "status">): boolean => status >= 200 && status <= 299

/** A submit without an answer may be repeated only if it was never sent. */
export const unansweredSubmit = ({ keptBack, neverSent, reason }: NoAnswer): VideoAmbiguous | VideoTransient =>
  neverSent
    ? new VideoTransient({ reason, unanswered: true, neverSent, keptBack })
    : new VideoAmbiguous({ reason, unanswered: true })

/** The error of a read without an answer. */
export const unansweredRead = ({ keptBack, neverSent, reason }: NoAnswer): VideoTransient =>
  new VideoTransient({ reason, unanswered: true, neverSent, keptBack })

/**
 * The error of a refused submit. The upstream's code and message become the task's if they concern the caller's input,
 * not if they concern our key or the upstream's state. After a failure of the upstream's own, the video may exist all
 * the same.
 */
export const refusedSubmit = (
  answer: VideoAnswer
): Effect.Effect<never, VideoRejected | VideoSaturated | VideoAmbiguous> => {
  const { error, headers, status } = answer
  const { trouble } = error
  if (trouble === "empty-account" || trouble === "refused-key") return operatorsFault(trouble)
  if (status === 429 || status === 503 || saturation.test(error.code)) {
    const rests = error.rests ?? videoRest(error.code)
    const waitMs = restMs(rests) ?? retryAfter(headers) ?? error.retryInfoMs
    return new VideoSaturated({
      retryAfterSeconds: waitMs === undefined ? undefined : Math.ceil(waitMs / 1_000),
      trouble: status === 503 ? undefined : "saturated",
      rests
    })
  }
  if (status >= 500 || status === 408) return new VideoAmbiguous({ reason: `status ${status}` })
  if (error.isAboutInput || status === 400 || status === 409 || status === 413 || status === 422) {
    return new VideoRejected({
      code: error.code === "" ? "InvalidParameter" : error.code,
      message: error.message ?? "The upstream refused the request"
    })
  }
  return operatorsFault(undefined)
}

/** Ark's many codes for limits and overload, some without a 429. */
const saturation = /RateLimit|RpmLimit|QuotaExceeded|ServerOverloaded|InflightBatchsizeExceeded|RequestBurstTooFast/i

/** A rejected key, a missing model, an empty account: the operator needs to know, the caller does not. */
const operatorsFault = (trouble: UpstreamTrouble | undefined) =>
  new VideoRejected({
    code: "InternalServiceError",
    message: "The upstream that renders this model's videos could not be used",
    elsewhere: true,
    trouble
  })

/** The error of a refused poll. Only an unknown video ends the task; anything else is transient. */
export const refusedPoll = ({
  error,
  headers,
  json,
  status
}: VideoAnswer): Effect.Effect<VideoReport, VideoRejected | VideoTransient> => {
  if (status === 404 && errorIn(json) !== undefined && error.message !== undefined) {
    return new VideoRejected({ code: "ResourceNotFound", message: "The upstream no longer has this video" })
  }
  const nextPollMs = retryAfter(headers)
  return nextPollMs === undefined
    ? new VideoTransient({ reason: `status ${status} ${error.code}` })
    : Effect.succeed({ status: "unknown", nextPollMs })
}
