import type { Effect } from "effect"
import { Future } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { toEffect } from "../flow/toEffect.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import { clearDeadline, setDeadline } from "../flow/deadlines.ts"
import { ownTurn } from "../flow/eventLoop.ts"
import type { HasDeadline } from "../flow/deadlines.ts"
import { NoCredentials } from "../credentials/Auth.ts"
import type { Auth } from "../credentials/Auth.ts"
import type { ClientTls } from "./Endpoint.ts"
import { unpacked } from "./unpacked.ts"
import { codeOf, silent, unidentified, unreachable } from "./connectionFailure.ts"
import type { Preparing } from "./Preparing.ts"
import { isReachable } from "./reachable.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** The time limits of a call, in ms. */
export interface Deadlines {
  /** Until the connection is established. */
  readonly connectMs: number
  /** Until the answer's headers. */
  readonly firstByteMs: number
  /** Between two chunks of the answer's body. */
  readonly idleMs: number
}

export const defaultDeadlines: Deadlines = { connectMs: 10_000, firstByteMs: 600_000, idleMs: 300_000 }

/** @param own those of one call */
export const withOwn = (deadlines: Deadlines, own: Partial<Deadlines> | undefined): Deadlines =>
  own === undefined ? deadlines : { ...deadlines, ...own }

/** A request to an upstream, by default a POST of JSON. */
export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A string is JSON. */
  readonly body?: string | FormData
  readonly deadlines: Deadlines
  /** Address of the proxy that the call goes by; by default it is direct. */
  readonly proxy?: string | undefined
  readonly tls?: ClientTls | undefined
  /** Credentials that end: they add headers to the call, and may send it once more if it is refused. */
  readonly auth?: Auth | undefined
  readonly attempt?: Preparing | undefined
}

/**
 * An answer whose headers have arrived. Read its body to the end or cancel it, otherwise its connection stays in use.
 */
export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /**
   * The next piece of the body, of at most 32 KiB; undefined at its end and after `cancel`. Between the pieces of what
   * came at once, the event loop has its turns. Rejects with a `BrokenBody`.
   */
  readonly read: () => Promise<Uint8Array | undefined>
  /** The body as text, cut once more than `limit` bytes were read. Rejects with a `BrokenBody`. */
  readonly text: (limit: number) => Promise<string>
  /** Closes the connection at once. May be called any number of times. */
  readonly cancel: () => void
  /** Reads the little that is left of the body, so that the connection can be reused; closes it if more comes. */
  readonly release: () => void
}

/** The body stopped before its end. The message may be shown to callers. */
export class BrokenBody extends Error {}

/** How much of a body is worked on in one turn of the event loop, in bytes: of a stream, and of a text that is only joined. */
export const pieceBytes = 32_768
const textPieceBytes = 1_048_576
/** Added for each chunk, because the work on millions of tiny ones adds up too. */
const chunkBytes = 512

/** How much, and for how long, the rest of a complete answer's body is read, in bytes and ms. */
const trailing = { bytes: 65_536, ms: 1_000 }

/**
 * The only place that calls upstreams. Interruption closes the connection. Any status is an answer; it fails only if
 * none came. Bun's `fetch` would follow redirects, obey proxy variables and time out by itself, so all three are turned
 * off; `config/proxies.ts` reads those variables.
 */
export const beginCall = (call: Call): Future<Exchange, UpstreamError> => new Calling(call)

/** `beginCall` as an Effect. */
export const callUpstream = (call: Call): Effect.Effect<Exchange, UpstreamError> =>
  toEffect(
    () => beginCall(call),
    (exchange) => exchange.cancel()
  )

/** A call whose answer's headers have not arrived yet. */
class Calling extends PendingFuture<Exchange, UpstreamError> implements HasDeadline {
  deadlinePlace = -1
  readonly #call: Call
  readonly #controller = new AbortController()
  #isLooked = false

  constructor(call: Call) {
    super()
    this.#call = call
    setDeadline(this, Math.min(call.deadlines.connectMs, call.deadlines.firstByteMs))
    const { signal } = this.#controller
    const sent = call.auth === undefined ? send(call, signal) : sendAs(call.auth, call, signal)
    sent.then(
      (response) => this.#answered(response),
      (cause) =>
        this.#settle(
          Future.fail(cause instanceof NoCredentials ? unidentified(cause) : unreachable(codeOf(cause), call.proxy))
        )
    )
  }

  protected override abandon(): void {
    clearDeadline(this)
    this.#controller.abort()
  }

  /**
   * `fetch` does not say when it is connected. If a silent upstream accepts no second connection, it is unreachable.
   */
  look(now: number): number {
    const { connectMs, firstByteMs } = this.#call.deadlines
    if (this.#isLooked || firstByteMs <= connectMs) {
      this.#giveUp(silent())
      return Infinity
    }
    this.#isLooked = true
    void isReachable(this.#call.proxy ?? this.#call.url, connectMs).then(
      (reachable) => reachable || this.#giveUp(unreachable("ETIMEDOUT", this.#call.proxy))
    )
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

/** Options of Bun's `fetch` beyond the standard. */
interface FetchOptions extends RequestInit {
  readonly timeout: false
  readonly proxy: string | false
  readonly decompress: false
  readonly tls?: ClientTls
}

const send = ({ body, headers, method = "POST", proxy, tls, url }: Call, signal: AbortSignal): Promise<Response> => {
  const options: FetchOptions = {
    method,
    headers: {
      // Compression would delay the events of a stream.
      "accept-encoding": "identity",
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...headers
    },
    body: body ?? null,
    signal,
    redirect: "manual",
    timeout: false,
    proxy: proxy ?? false,
    ...(tls !== undefined && { tls }),
    // A body that is compressed all the same is unpacked as it is read (`unpacked.ts`).
    decompress: false
  }
  // The operator sets the base URL, and `fetch` would open files too.
  if (!/^https?:\/\//i.test(url)) return Promise.reject(new Error("not an http address"))
  // oxlint-disable-next-line no-restricted-globals -- the one client that the rule protects
  return fetch(url, options)
}

/** Sends a call with credentials, and once more if its refusal may have been theirs. */
const sendAs = async (auth: Auth, call: Call, signal: AbortSignal): Promise<Response> => {
  const { body, headers, method = "POST", url } = call
  const signing = { method, url, headers, body: typeof body === "string" ? body : undefined }
  const prepared = call.attempt?.prepares()
  const used = await auth.headers(signing)
  signal.throwIfAborted()
  prepared?.()
  const response = await send({ ...call, headers: { ...headers, ...used } }, signal)
  if ((response.status !== 401 && response.status !== 403) || !(await auth.refused(used, response.headers))) {
    return response
  }
  await response.body?.cancel()
  return send({ ...call, headers: { ...headers, ...(await auth.headers(signing)) } }, signal)
}

/** An answer whose body is yet to be read. */
class Answer implements Exchange, HasDeadline {
  deadlinePlace = -1
  readonly status: number
  readonly headers: Headers
  readonly #response: Response
  readonly #controller: AbortController
  readonly #idleMs: number
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isPacked = false
  #pieceBytes = pieceBytes
  /** The rest of a chunk that is given in pieces. */
  #rest: Uint8Array | undefined
  /** The bytes given since the last turn of the event loop. A packed body's chunks don't wait for one. */
  #givenBytes = 0
  #cancelled = false
  #wentSilent = false
  /** True once the body has ended or was cancelled. */
  #stopped = false
  #lastReadMs = performance.now()

  constructor(response: Response, controller: AbortController, idleMs: number) {
    this.status = response.status
    this.headers = response.headers
    this.#response = response
    this.#controller = controller
    this.#idleMs = idleMs
    setDeadline(this, idleMs)
  }

  look(now: number): number {
    const due = this.#lastReadMs + this.#idleMs
    if (due > now) return due
    this.#wentSilent = true
    this.#controller.abort()
    return Infinity
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#rest !== undefined || this.#givenBytes > this.#pieceBytes) await this.#leave()
    if (this.#cancelled) return this.#stop()
    if (this.#rest !== undefined) return this.#cut(this.#rest)
    try {
      this.#reader ??= this.#unpacked()?.getReader()
      if (this.#reader === undefined) return this.#stop()
      const { done, value } = await this.#reader.read()
      this.#lastReadMs = performance.now()
      if (done || this.#cancelled) return this.#stop()
      return this.#isPacked || value.length > this.#pieceBytes ? this.#cut(value) : value
    } catch {
      this.#stop()
      if (this.#cancelled) return undefined
      throw this.#broken()
    }
  }

  #unpacked(): ReadableStream<Uint8Array> | null {
    const body = unpacked(this.#response)
    this.#isPacked = body !== this.#response.body
    return body
  }

  /** The first piece of these bytes. */
  #cut(bytes: Uint8Array): Uint8Array {
    const most = this.#pieceBytes
    this.#rest = bytes.length > most ? bytes.subarray(most) : undefined
    const piece = this.#rest === undefined ? bytes : bytes.subarray(0, most)
    this.#givenBytes += piece.length + chunkBytes
    return piece
  }

  /** Lets the event loop have a turn. */
  async #leave(): Promise<void> {
    await ownTurn()
    this.#givenBytes = 0
    this.#lastReadMs = performance.now()
  }

  text(limit: number): Promise<string> {
    // The length of a compressed body does not bound its unpacked size, which is counted as it is read.
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

  /** Reads a body of known, acceptable length in one piece, without a stream. */
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
    this.#pieceBytes = textPieceBytes
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
