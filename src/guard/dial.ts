import http from "node:http"
import https from "node:https"
import { isIP } from "node:net"
import { Data, Effect } from "effect"
import { hostOf } from "./callerUrl.ts"

/** An address whose every answer was checked; made by `AddressGuard.check` alone. */
export interface CheckedUrl {
  readonly url: URL
  readonly addresses: ReadonlyArray<string>
}

export interface Outgoing {
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Until the connection stands, TLS included. */
  readonly connectTimeoutMs: number
  /** From the first packet to the last byte of the answer. */
  readonly totalTimeoutMs: number
  /** How much of the answer's body is read before the connection is closed. */
  readonly maxBytes: number
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** Whether `body` is all of it: not cut by the limit, the time or the other side. */
  readonly complete: boolean
}

/** No answer; the reason is a few words of ours that may be shown to whoever gave the address. */
export class DialFailed extends Data.TaggedError("DialFailed")<{ readonly reason: string }> {}

/**
 * One request to one of the checked addresses, under the URL's own name in `Host` and in TLS. `node:http` and not
 * `fetch`: it dials what `lookup` says, knows no proxy variables (`agent: false`), follows no redirects, tells when the
 * connection stands, and takes none of the process's 256 fetches from the upstreams.
 */
export const dial = (checked: CheckedUrl, request: Outgoing): Effect.Effect<Reply, DialFailed> =>
  Effect.async((resume) => {
    const fail = (reason: string) => {
      resume(Effect.fail(new DialFailed({ reason })))
      stop()
    }
    const outgoing = requestTo(checked, request)
    const connecting = setTimeout(
      () => fail(`no connection within ${request.connectTimeoutMs / 1000} s`),
      request.connectTimeoutMs
    )
    let late = () => fail(`no answer within ${request.totalTimeoutMs / 1000} s`)
    const whole = setTimeout(() => late(), request.totalTimeoutMs)
    const stop = () => {
      clearTimeout(connecting)
      clearTimeout(whole)
      outgoing.destroy()
    }

    onceConnected(checked, outgoing, () => clearTimeout(connecting))
    outgoing.on("error", (cause) => fail(reasonOf(cause)))
    outgoing.on("response", (incoming) => {
      const chunks: Array<Uint8Array> = []
      let room = request.maxBytes
      const done = (complete: boolean) => {
        resume(
          Effect.succeed({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()])
            ),
            body: Buffer.concat(chunks),
            complete
          })
        )
        stop()
      }
      late = () => done(false)
      incoming.on("data", (chunk: Uint8Array) => {
        chunks.push(chunk.subarray(0, room))
        if (chunk.length > room) done(false)
        room -= chunk.length
      })
      incoming.on("error", () => done(false))
      incoming.on("close", () => done(incoming.complete))
    })
    outgoing.end(request.body)
    return Effect.sync(stop)
  })

/** The request, not yet sent, to one of the checked addresses. */
export const requestTo = (
  { addresses, url }: CheckedUrl,
  { headers, method }: Pick<Outgoing, "method" | "headers">
): http.ClientRequest =>
  (url.protocol === "https:" ? https : http).request({
    method,
    host: hostOf(url),
    port: url.port === "" ? undefined : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, connection: "close", "accept-encoding": "identity" },
    agent: false,
    rejectUnauthorized: true,
    lookup: (_host, options, answer) => {
      const [first = ""] = addresses
      if (options.all === true) answer(null, addresses.map(withFamily))
      else answer(null, first, isIP(first))
    }
  })

/** TLS included. */
export const onceConnected = ({ url }: CheckedUrl, outgoing: http.ClientRequest, then: () => void): void => {
  outgoing.on("socket", (socket) => socket.once(url.protocol === "https:" ? "secureConnect" : "connect", then))
}

const withFamily = (address: string) => ({ address, family: isIP(address) })

/** Why there was no answer, in a few words of ours. */
export const reasonOf = (cause: Error & { readonly code?: string }): string => {
  const code = cause.code ?? ""
  if (code === "ECONNREFUSED") return "connection refused"
  if (code.startsWith("HPE_")) return "the answer is not HTTP"
  if (/TLS|SSL|CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return "the TLS certificate or handshake was not accepted"
  return ["ECONNRESET", "EPIPE"].includes(code) ? "connection closed before an answer" : "connection failed"
}
