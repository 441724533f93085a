import http from "node:http"
import https from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { Data, Effect } from "effect"
import { descriptors } from "../flow/Descriptors.ts"
import { hostOf } from "./callerUrl.ts"

/** A URL with its checked addresses; made only by `AddressGuard.check`. */
export interface CheckedUrl {
  readonly url: URL
  /** Empty only if the call goes by a proxy, for a name that does not resolve here. */
  readonly addresses: ReadonlyArray<string>
  /** The proxy that the call goes by, which resolves the name itself. */
  readonly proxy?: string | undefined
}

export interface Outgoing {
  readonly method: "GET" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array | undefined
  /** Timeout of the connection, including TLS. */
  readonly connectTimeoutMs: number
  /** From the first packet to the last byte of the answer. */
  readonly totalTimeoutMs: number
  /** The most bytes of the answer's body to read. */
  readonly maxBytes: number
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** False if the limit, the timeout or the server cut the body. */
  readonly complete: boolean
}

/** No answer. The reason is short and safe to show to the caller. */
export class DialFailed extends Data.TaggedError("DialFailed")<{
  readonly reason: string
  /** True if the operator's proxy or the process itself is the cause. */
  readonly isOurs?: boolean
}> {}

/**
 * Sends one request to one of the checked addresses, or by the proxy, with the URL's host name in `Host` and TLS. Uses `node:http` instead
 * of `fetch`, because it dials the addresses of `lookup`, ignores proxy variables (`agent: false`), follows no redirects,
 * reports when the connection is open, and uses none of the process's 256 concurrent fetches.
 */
export const dial = (checked: CheckedUrl, request: Outgoing): Effect.Effect<Reply, DialFailed> =>
  Effect.async((resume) => {
    const fail = (reason: string) => {
      resume(Effect.fail(new DialFailed({ reason })))
      stop()
    }
    const outgoing = requestTo(checked, request)
    const begunAt = Date.now()
    const failUnconnected = () => fail(`no connection within ${request.connectTimeoutMs / 1000} s`)
    const connecting = setTimeout(failUnconnected, request.connectTimeoutMs)
    let late = () => fail(`no answer within ${request.totalTimeoutMs / 1000} s`)
    const whole = setTimeout(() => late(), request.totalTimeoutMs)
    const stop = () => {
      clearTimeout(connecting)
      clearTimeout(whole)
      outgoing.destroy()
    }

    // After a suspension of the process, the connection may come before its timeout: nothing is sent on it.
    onceConnected(checked, outgoing, () =>
      Date.now() - begunAt < request.connectTimeoutMs ? clearTimeout(connecting) : failUnconnected()
    )
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

/** Makes, without sending, a request to one of the checked addresses, or by the proxy. */
export const requestTo = (
  { addresses, proxy, url }: CheckedUrl,
  { headers, method }: Pick<Outgoing, "method" | "headers">
): http.ClientRequest => {
  const scheme = url.protocol === "https:" ? https : http
  const connection: http.RequestOptions =
    proxy === undefined
      ? { agent: false, lookup: oneOf(addresses) }
      : { agent: new scheme.Agent({ proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }) }
  return scheme.request({
    method,
    host: hostOf(url),
    port: url.port === "" ? undefined : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, connection: "close", "accept-encoding": "identity" },
    rejectUnauthorized: true,
    ...connection
  })
}

const oneOf =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_host, options, answer) => {
    const [first = ""] = addresses
    if (options.all === true) answer(null, addresses.map(withFamily))
    else answer(null, first, isIP(first))
  }

/** Calls `then` once the connection is open, including TLS. */
export const onceConnected = ({ proxy, url }: CheckedUrl, outgoing: http.ClientRequest, then: () => void): void => {
  const isTls = url.protocol === "https:"
  outgoing.on("socket", (socket) => {
    // A tunnel by a proxy is handed over once it is open.
    if (isTls && proxy !== undefined) then()
    else socket.once(isTls ? "secureConnect" : "connect", then)
  })
}

const withFamily = (address: string) => ({ address, family: isIP(address) })

/** True if the process, or the proxy that is to be connected first, is the cause. */
export const isOurs = ({ proxy }: CheckedUrl, cause: Error & { readonly code?: string }): boolean =>
  descriptors.isExhausted() || (proxy !== undefined && unconnected.has(cause.code ?? ""))

const unconnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"])

/** A failure's reason that is safe to show to callers. */
export const reasonOf = (cause: Error & { readonly code?: string }): string => {
  const code = cause.code ?? ""
  if (descriptors.isExhausted()) return "the gateway has too few file descriptors"
  if (code === "ERR_PROXY_TUNNEL") return "the proxy did not let it through"
  if (code === "ECONNREFUSED") return "connection refused"
  if (code.startsWith("HPE_")) return "the answer is not HTTP"
  if (/TLS|SSL|CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return "the TLS certificate or handshake was not accepted"
  return ["ECONNRESET", "EPIPE"].includes(code) ? "connection closed before an answer" : "connection failed"
}
