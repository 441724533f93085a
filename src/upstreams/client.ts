import { Effect } from "effect"
import { UpstreamFailed } from "../contract/Failure.ts"
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
  Effect.async<Exchange, UpstreamError>((resume) => {
    const controller = new AbortController()
    let settled = false
    let answer: Exchange | undefined
    const settle = (result: Effect.Effect<Exchange, UpstreamError>) => {
      if (settled) return
      settled = true
      clearTimeout(waiting)
      resume(result)
    }
    const giveUp = (error: UpstreamError) => {
      settle(Effect.fail(error))
      controller.abort()
    }
    const { connectMs, firstByteMs } = call.deadlines
    // `fetch` does not tell when it is connected. A silent upstream that takes no new connection either isn't there.
    let waiting = setTimeout(
      () => {
        if (firstByteMs <= connectMs) return giveUp(silent())
        waiting = setTimeout(() => giveUp(silent()), firstByteMs - connectMs)
        void isReachable(call.url, connectMs).then((reachable) => reachable || settled || giveUp(unreachable()))
      },
      Math.min(connectMs, firstByteMs)
    )
    send(call, controller.signal).then(
      (response) => {
        if (settled) return controller.abort()
        answer = exchange(response, controller, call.deadlines.idleMs)
        settle(Effect.succeed(answer))
      },
      (cause) => settle(Effect.fail(unreachable(neverLeft(cause))))
    )
    return Effect.sync(() => {
      settle(Effect.interrupt)
      controller.abort()
      // The answer may be there already, and its reader gone.
      answer?.cancel()
    })
  })

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

const exchange = (response: Response, controller: AbortController, idleMs: number): Exchange => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let cancelled = false
  let wentSilent = false
  /** Whether the body is over, or nobody reads it any more. */
  let stopped = false
  let heard = performance.now()
  // One timer that looks back, instead of one for every piece.
  const look = () => {
    const left = heard + idleMs - performance.now()
    if (left > 0) {
      watch = setTimeout(look, left)
      return
    }
    wentSilent = true
    controller.abort()
  }
  let watch = setTimeout(look, idleMs)

  const read = async (): Promise<Uint8Array | undefined> => {
    if (cancelled) return stop()
    reader ??= response.body?.getReader()
    if (reader === undefined) return stop()
    try {
      const { done, value } = await reader.read()
      heard = performance.now()
      return done || cancelled ? stop() : value
    } catch {
      stop()
      if (cancelled) return undefined
      throw broken()
    }
  }

  const broken = () =>
    new BrokenBody(wentSilent ? "The model's upstream went silent" : "The connection to the model's upstream broke")

  const stop = (): undefined => {
    stopped = true
    clearTimeout(watch)
  }

  const cancel = () => {
    if (cancelled) return
    cancelled = true
    stop()
    controller.abort()
  }

  /** A body of a known and bearable length is read in one piece, without a stream. */
  const readWhole = async (): Promise<string> => {
    try {
      return await response.text()
    } catch {
      if (cancelled) return ""
      throw broken()
    } finally {
      stop()
    }
  }

  const readText = async (limit: number): Promise<string> => {
    const length = reader === undefined && !cancelled ? response.headers.get("content-length") : null
    return length !== null && Number(length) <= limit ? readWhole() : readPieces(limit)
  }

  const readPieces = async (limit: number): Promise<string> => {
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    for (;;) {
      const bytes = await read()
      if (bytes === undefined) return text + decoder.decode()
      length += bytes.length
      text += decoder.decode(bytes, { stream: true })
      if (length > limit) {
        cancel()
        return text
      }
    }
  }

  const release = () => {
    if (stopped) return
    const timer = setTimeout(cancel, trailing.ms)
    readText(trailing.bytes).then(
      () => clearTimeout(timer),
      () => clearTimeout(timer)
    )
  }

  return { status: response.status, headers: response.headers, read, text: readText, cancel, release }
}
