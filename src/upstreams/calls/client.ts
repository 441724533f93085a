import type { Effect } from "effect"
import { Future } from "../../flow/Future.ts"
import type { Settled } from "../../flow/Future.ts"
import { toEffect } from "../../flow/toEffect.ts"
import { PendingFuture } from "../../flow/PendingFuture.ts"
import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"
import { NoCredentials } from "../../credentials/Auth.ts"
import type { Auth } from "../../credentials/Auth.ts"
import type { ClientTls } from "../Endpoint.ts"
import { Answer } from "./Exchange.ts"
import type { Exchange } from "./Exchange.ts"
import { codeOf, silent, noCredentialsFailure, unreachable } from "./connectionFailure.ts"
import type { FormBody } from "./formBody.ts"
import type { Preparing } from "./Preparing.ts"
import { isReachable } from "./reachable.ts"
import type { UpstreamError } from "../UpstreamError.ts"

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
  readonly body?: string | FormData | FormBody
  readonly deadlines: Deadlines
  /** Address of the proxy that the call goes by; by default it is direct. */
  readonly proxy?: string | undefined
  readonly tls?: ClientTls | undefined
  /** Credentials that end: they add headers to the call, and may send it once more if it is refused. */
  readonly auth?: Auth | undefined
  readonly attempt?: Preparing | undefined
}

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
          Future.fail(
            cause instanceof NoCredentials ? noCredentialsFailure(cause) : unreachable(codeOf(cause), call.proxy)
          )
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

const isWritten = (body: Call["body"]): body is FormBody => typeof body === "object" && "open" in body

const send = ({ body, headers, method = "POST", proxy, tls, url }: Call, signal: AbortSignal): Promise<Response> => {
  const options: FetchOptions = {
    method,
    headers: {
      // Compression would delay the events of a stream.
      "accept-encoding": "identity",
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...(isWritten(body) && { "content-type": body.contentType, "content-length": String(body.bytes) }),
      ...headers
    },
    body: isWritten(body) ? body.open() : (body ?? null),
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
