import type { Effect } from "effect"
import { UpstreamFailed } from "../contract/Failure.ts"
import { Future } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { toEffect } from "../flow/toEffect.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import { clearDeadline, setDeadline } from "../flow/deadlines.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import { unpacked } from "./unpacked.ts"
import { isReachable } from "./reachable.ts"
import { UpstreamError } from "./UpstreamError.ts"

/** How long an upstream may take, in ms. */
export interface Deadlines {
  /** Until somebody is there at all. */
  readonly connectMs: number
  /** Until the answer's head. */
  readonly firstByteMs: number
  /** Between two pieces of the answer's body. */
  readonly idleMs: number
}

export const defaultDeadlines: Deadlines = { connectMs: 10_000, firstByteMs: 600_000, idleMs: 300_000 }

/** A request to an upstream; a POST of JSON unless it says otherwise. */
export interface Call {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Text is JSON. */
  readonly body?: string | FormData
  readonly deadlines: Deadlines
}

/** An answer whose head is there. Its body is read to the end or cancelled, or its connection stays taken. */
export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** The next piece of the body; undefined at its end, and once cancelled. Rejects with a `BrokenBody`. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** The body as text, of which at most `limit` bytes are read. Rejects with a `BrokenBody`. */
  readonly text: (limit: number) => Promise<string>
  /** Closes the connection at once, any number of times. */
  readonly cancel: () => void
  /** Lets a body that is as good as over end, so that its connection can be used again; else closes it. */
  readonly release: () => void
}

/** The body stopped before its end; the message may be shown to callers. */
export class BrokenBody extends Error {}

/** How much and how long is still read of a body whose answer is complete, in bytes and ms. */
const trailing = { bytes: 65_536, ms: 1_000 }

/**
 * The one way to an upstream. Interruption closes the connection. Fails where no answer came; any status is an answer.
 * Bun's `fetch` follows redirects, obeys proxy variables and gives up on silence of its own accord unless told not to.
 */
export const beginCall = (call: Call): Future<Exchange, UpstreamError> => new Calling(call)

/** As `beginCall`, whenever it is run. */
export const callUpstream = (call: Call): Effect.Effect<Exchange, UpstreamError> =>
  toEffect(
    () => beginCall(call),
    (exchange) => exchange.cancel()
  )

/** A call whose answer's head is not there yet. */
class Calling extends PendingFuture<Exchange, UpstreamError> implements HasDeadline {
  deadlinePlace = -1
  readonly #call: Call
  readonly #controller = new AbortController()
  #isLooked = false

  constructor(call: Call) {
    super()
    this.#call = call
    setDeadline(this, Math.min(call.deadlines.connectMs, call.deadlines.firstByteMs))
    send(call, this.#controller.signal).then(
      (response) => this.#answered(response),
      (cause) => this.#settle(Future.fail(unreachable(codeOf(cause))))
    )
  }

  protected override abandon(): void {
    clearDeadline(this)
    this.#controller.abort()
  }

  /** `fetch` does not tell when it is connected. A silent upstream that takes no new connection either isn't there. */
  look(now: number): number {
    const { connectMs, firstByteMs } = this.#call.deadlines
    if (this.#isLooked || firstByteMs <= connectMs) {
      this.#giveUp(silent())
      return Infinity
    }
    this.#isLooked = true
    void isReachable(this.#call.url, connectMs).then((reachable) => reachable || this.#giveUp(unreachable("ETIMEDOUT")))
    return now + firstByteMs - connectMs
  }

  #answered(response: Response): void {
    if (this.settled !== undefined) return this.#controller.abort()
    this.#settle(Future.succeed(new Answer(response, this.#controller, this.#call.deadlines.idleMs)))
  }

  #giveUp(error: UpstreamError): void {
    if (this.settled !== undefined) return
    this.#settle(Future.fail(error))
    this.#controller.abort()
  }

  #settle(end: Settled<Exchange, UpstreamError>): void {
    clearDeadline(this)
    this.end(end)
  }
}

const send = ({ body, headers, method = "POST", url }: Call, signal: AbortSignal): Promise<Response> => {
  const options: RequestInit & { readonly timeout: false; readonly proxy: false; readonly decompress: false } = {
    method,
    headers: {
      // Compressed event streams arrive in lumps.
      "accept-encoding": "identity",
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...headers
    },
    body: body ?? null,
    signal,
    redirect: "manual",
    timeout: false,
    proxy: false,
    // What comes packed although nobody asked for that is unpacked as it is read (`unpacked.ts`).
    decompress: false
  }
  // A base URL is the operator's; `fetch` would open files too.
  if (!/^https?:\/\//i.test(url)) return Promise.reject(new Error("not an http address"))
  // oxlint-disable-next-line no-restricted-globals -- the one client that the rule protects
  return fetch(url, options)
}

/** @param code why, in the system's word */
const unreachable = (code: string | undefined) => {
  const neverSent = code !== undefined && neverLeft(code)
  return new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream could not be reached" }),
    retry: "again",
    retryAfterMs: undefined,
    status: undefined,
    neverSent,
    trouble: neverSent || code === "EPROTO" ? "unreachable" : undefined,
    said: code
  })
}

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** Whether there was no connection to send anything over: nobody there, no such name, a certificate we don't accept. */
const neverLeft = (code: string): boolean =>
  /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT)/.test(
    code
  )

const silent = () =>
  new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream did not answer in time" }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined
  })

/** An answer whose body is yet to be read. */
class Answer implements Exchange, HasDeadline {
  deadlinePlace = -1
  readonly status: number
  readonly headers: Headers
  readonly #response: Response
  readonly #controller: AbortController
  readonly #idleMs: number
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #cancelled = false
  #wentSilent = false
  /** Whether the body is over, or nobody reads it any more. */
  #stopped = false
  #heard = performance.now()

  constructor(response: Response, controller: AbortController, idleMs: number) {
    this.status = response.status
    this.headers = response.headers
    this.#response = response
    this.#controller = controller
    this.#idleMs = idleMs
    setDeadline(this, idleMs)
  }

  look(now: number): number {
    const due = this.#heard + this.#idleMs
    if (due > now) return due
    this.#wentSilent = true
    this.#controller.abort()
    return Infinity
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#cancelled) return this.#stop()
    try {
      this.#reader ??= unpacked(this.#response)?.getReader()
      if (this.#reader === undefined) return this.#stop()
      const { done, value } = await this.#reader.read()
      this.#heard = performance.now()
      return done || this.#cancelled ? this.#stop() : value
    } catch {
      this.#stop()
      if (this.#cancelled) return undefined
      throw this.#broken()
    }
  }

  text(limit: number): Promise<string> {
    // A packed body's length says nothing of what it unpacks to: that is counted as it comes.
    const isKnown = this.#reader === undefined && !this.#cancelled && !this.headers.has("content-encoding")
    const length = isKnown ? this.headers.get("content-length") : null
    return length !== null && Number(length) <= limit ? this.#readWhole() : this.#readPieces(limit)
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.#stop()
    this.#controller.abort()
  }

  release(): void {
    if (this.#stopped) return
    const timer = setTimeout(() => this.cancel(), trailing.ms)
    const over = () => clearTimeout(timer)
    this.text(trailing.bytes).then(over, over)
  }

  /** A body of a known and bearable length is read in one piece, without a stream. */
  #readWhole(): Promise<string> {
    return this.#response.text().then(
      (text) => {
        this.#stop()
        return text
      },
      () => {
        this.#stop()
        if (this.#cancelled) return ""
        throw this.#broken()
      }
    )
  }

  async #readPieces(limit: number): Promise<string> {
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    for (;;) {
      const bytes = await this.read()
      if (bytes === undefined) return text + decoder.decode()
      length += bytes.length
      text += decoder.decode(bytes, { stream: true })
      if (length > limit) {
        this.cancel()
        return text
      }
    }
  }

  #stop(): undefined {
    this.#stopped = true
    clearDeadline(this)
  }

  #broken(): BrokenBody {
    return new BrokenBody(
      this.#wentSilent ? "The model's upstream went silent" : "The connection to the model's upstream broke"
    )
  }
}
