import { Effect } from "effect"
import { UpstreamFailed } from "../contract/Failure.ts"
import { Pending } from "../contract/Pending.ts"
import { leave, watch } from "../generation/watch.ts"
import type { Watched } from "../generation/watch.ts"
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
export const callUpstream = (call: Call): Effect.Effect<Exchange, UpstreamError> =>
  Effect.suspend(() => callUpstreamNow(call))

/** As `callUpstream`, at once, and without need of a fiber. */
export const callUpstreamNow = (call: Call): Effect.Effect<Exchange, UpstreamError> => new Calling(call)

/** A call whose answer's head is not there yet. */
class Calling extends Pending<Exchange, UpstreamError> implements Watched {
  readonly #call: Call
  readonly #controller = new AbortController()
  #isLooked = false
  #settled = false
  #answer: Exchange | undefined

  constructor(call: Call) {
    super()
    this.#call = call
    watch(this, Math.min(call.deadlines.connectMs, call.deadlines.firstByteMs))
    send(call, this.#controller.signal).then(
      (response) => this.#answered(response),
      (cause) => this.#settle(Effect.fail(unreachable(neverLeft(cause))))
    )
  }

  protected override abandon(): void {
    this.#settled = true
    leave(this)
    this.#controller.abort()
    // The answer may be there already, and its reader gone.
    this.#answer?.cancel()
  }

  /** `fetch` does not tell when it is connected. A silent upstream that takes no new connection either isn't there. */
  look(now: number): number {
    const { connectMs, firstByteMs } = this.#call.deadlines
    if (this.#isLooked || firstByteMs <= connectMs) {
      this.#giveUp(silent())
      return Infinity
    }
    this.#isLooked = true
    void isReachable(this.#call.url, connectMs).then(
      (reachable) => reachable || this.#settled || this.#giveUp(unreachable())
    )
    return now + firstByteMs - connectMs
  }

  #answered(response: Response): void {
    if (this.#settled) return this.#controller.abort()
    this.#answer = new Answer(response, this.#controller, this.#call.deadlines.idleMs)
    this.#settle(Effect.succeed(this.#answer))
  }

  #giveUp(error: UpstreamError): void {
    this.#settle(Effect.fail(error))
    this.#controller.abort()
  }

  #settle(result: Effect.Effect<Exchange, UpstreamError>): void {
    if (this.#settled) return
    this.#settled = true
    leave(this)
    this.end(result)
  }
}

const send = ({ body, headers, method = "POST", url }: Call, signal: AbortSignal): Promise<Response> => {
  const options: RequestInit & { readonly timeout: false; readonly proxy: false } = {
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
    proxy: false
  }
  // A base URL is the operator's; `fetch` would open files too.
  if (!/^https?:\/\//i.test(url)) return Promise.reject(new Error("not an http address"))
  // oxlint-disable-next-line no-restricted-globals -- the one client that the rule protects
  return fetch(url, options)
}

const unreachable = (neverSent = false) =>
  new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream could not be reached" }),
    retry: "again",
    retryAfterMs: undefined,
    status: undefined,
    neverSent
  })

/** Whether there was no connection to send anything over: nobody there, no such name, a certificate we don't accept. */
const neverLeft = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  typeof cause.code === "string" &&
  /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT)/.test(
    cause.code
  )

const silent = () =>
  new UpstreamError({
    failure: new UpstreamFailed({ message: "The model's upstream did not answer in time" }),
    retry: "elsewhere",
    retryAfterMs: undefined,
    status: undefined
  })

/** An answer whose body is yet to be read. */
class Answer implements Exchange, Watched {
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
    watch(this, idleMs)
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
    this.#reader ??= this.#response.body?.getReader()
    if (this.#reader === undefined) return this.#stop()
    try {
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
    const isWhole = this.#reader === undefined && !this.#cancelled
    const length = isWhole ? this.headers.get("content-length") : null
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
  async #readWhole(): Promise<string> {
    try {
      return await this.#response.text()
    } catch {
      if (this.#cancelled) return ""
      throw this.#broken()
    } finally {
      this.#stop()
    }
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
    leave(this)
  }

  #broken(): BrokenBody {
    return new BrokenBody(
      this.#wentSilent ? "The model's upstream went silent" : "The connection to the model's upstream broke"
    )
  }
}
