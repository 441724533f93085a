import type http from "node:http"
import { Effect } from "effect"
import type { Scope } from "effect"
import { DialFailed, isOurs, onceConnected, reasonOf, requestTo } from "./dial.ts"
import type { CheckedUrl, Outgoing } from "./dial.ts"

export interface Patience {
  /** Timeout of the connection, including TLS. */
  readonly connectMs: number
  /** Timeout of the answer's head, and between two chunks of its body. */
  readonly idleMs: number
}

/** An answer whose head has arrived. The scope closes its connection. */
export interface Streamed {
  readonly status: number
  /** A header's value, by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The next chunk of the body; undefined at its end. Rejects if it breaks off or stalls. */
  readonly read: () => Promise<Uint8Array | undefined>
}

/** An answer to a GET request, with its headers. */
export interface Download extends Pick<Streamed, "status" | "read"> {
  /** The `Location` header. */
  readonly location: string | undefined
  /** The `Content-Length` header, in bytes. */
  readonly length: number | undefined
  /** The `Content-Type` header. */
  readonly mediaType: string | undefined
  /** The `Content-Range` header, of a part. */
  readonly contentRange: string | undefined
}

/**
 * Downloads what a GET request is answered with.
 * @param range the `Range` header
 */
export const download = (
  checked: CheckedUrl,
  patience: Patience,
  range?: string
): Effect.Effect<Download, DialFailed, Scope.Scope> => {
  const headers = { "user-agent": "model-gateway", accept: "*/*", ...(range !== undefined && { range }) }
  return Effect.map(dialStreamed(checked, patience, { method: "GET", headers }), ({ header, read, status }) => ({
    status,
    location: header("location"),
    length: lengthOf(header("content-length")),
    mediaType: header("content-type"),
    contentRange: header("content-range"),
    read
  }))
}

/** Like `dial`, for an answer that is read in chunks. */
export const dialStreamed = (
  checked: CheckedUrl,
  patience: Patience,
  { body, ...request }: Pick<Outgoing, "method" | "headers" | "body">
): Effect.Effect<Streamed, DialFailed, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      // Ending it may be an error, too.
      Effect.sync(() => requestTo(checked, request).on("error", () => {})),
      (outgoing) => Effect.sync(() => outgoing.destroy())
    ),
    (outgoing) =>
      // Ends at once if the reader leaves.
      Effect.async<http.IncomingMessage, DialFailed>((resume) => {
        const fail = (reason: string, isOurs = false) => {
          resume(Effect.fail(new DialFailed({ reason, isOurs })))
          outgoing.destroy()
        }
        const soon = (what: string, ms: number) => setTimeout(() => fail(`no ${what} within ${ms / 1000} s`), ms)
        let timer = soon("connection", patience.connectMs)
        onceConnected(checked, outgoing, () => {
          clearTimeout(timer)
          timer = soon("answer", patience.idleMs)
        })
        outgoing.on("error", (cause) => {
          clearTimeout(timer)
          fail(reasonOf(cause), isOurs(checked, cause))
        })
        outgoing.on("response", (incoming) => {
          clearTimeout(timer)
          resume(Effect.succeed(incoming))
        })
        outgoing.end(body)
        return Effect.sync(() => clearTimeout(timer))
      })
  ).pipe(
    Effect.map((incoming) => ({
      status: incoming.statusCode ?? 0,
      header: (name) => incoming.headers[name]?.toString(),
      read: reader(incoming, patience.idleMs)
    }))
  )

const lengthOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined

/** Reads from the socket only on demand, except for the stream's buffer. */
const reader = (incoming: http.IncomingMessage, idleMs: number) => {
  const pieces: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]()
  return async (): Promise<Uint8Array | undefined> => {
    const silence = Promise.withResolvers<never>()
    const timer = setTimeout(() => silence.reject(new Error(`nothing came for ${idleMs / 1000} s`)), idleMs)
    try {
      const next = await Promise.race([pieces.next(), silence.promise])
      if (next.done !== true) return next.value
      if (!incoming.complete) throw new Error("the answer broke off")
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }
}
