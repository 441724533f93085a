import { Effect } from "effect"
import type { AddressGuard } from "../../guard/AddressGuard.ts"
import { parseJson } from "../../contract/json/json.ts"
import type { PersonServer } from "../../mcp/PersonGrants.ts"
import type { Sending } from "../../mcp/Send.ts"
import { sendGuarded } from "../../mcp/sendTo.ts"
import { ConnectFailed } from "./ConnectFailed.ts"

const mostBytes = 262_144
/** From the first packet to the last byte. */
const longest = "15 seconds"

/** An answer of a server or its sign-in. */
export interface Answered {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
  readonly challenge: string | undefined
}

export type Ask = (
  sending: Omit<Sending, "headers"> & Partial<Pick<Sending, "headers">>
) => Effect.Effect<Answered, ConnectFailed>

/** True for an address that secrets may go to: https, the own computer, or the server's own as the operator wrote it. */
export const isSafe = (url: string, server: Pick<PersonServer, "url">): boolean => {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== "" || parsed.password !== "") return false
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname)
  return parsed.protocol === "https:" || (parsed.protocol === "http:" && (isLoopback || isOwn(parsed, server)))
}

const isOwn = ({ origin }: URL, server: Pick<PersonServer, "url">): boolean => origin === URL.parse(server.url)?.origin

/**
 * Sends one request to a server's origin, which is the operator's, or to an address that a stranger's metadata names, which
 * the guard checks. Redirects are not followed.
 */
export const askAt =
  (guard: AddressGuard, server: PersonServer): Ask =>
  ({ headers, ...sending }) => {
    const url = URL.parse(sending.url)
    if (url === null || !isSafe(sending.url, server))
      return new ConnectFailed({ message: "it names an address without TLS" })
    const send = isOwn(url, server) ? server.send : sendGuarded(guard)
    return Effect.gen(function* () {
      const answer = yield* send({
        ...sending,
        headers: { accept: "application/json", "user-agent": "model-gateway", ...headers }
      })
      const decoder = new TextDecoder()
      let text = ""
      let bytes = 0
      for (;;) {
        const chunk = yield* Effect.tryPromise(() => answer.read())
        if (chunk === undefined) break
        bytes += chunk.length
        if (bytes > mostBytes)
          return yield* new ConnectFailed({ message: `${url.host} answers with more than 256 KiB` })
        text += decoder.decode(chunk, { stream: true })
      }
      return { status: answer.status, body: parseJson(text), challenge: answer.header("www-authenticate") }
    }).pipe(
      Effect.scoped,
      Effect.timeoutFail({ duration: longest, onTimeout: () => undefined }),
      Effect.mapError((failure) =>
        failure instanceof ConnectFailed
          ? failure
          : new ConnectFailed({
              message: `${url.host} can't be asked${failure !== undefined && "reason" in failure ? `: ${failure.reason}` : ""}`
            })
      )
    )
  }
