import { Effect } from "effect"
import { callUpstream } from "../client.ts"
import { NoCredentials } from "../../credentials/Auth.ts"
import type { Source } from "../../credentials/Source.ts"
import { isSecret } from "../Endpoint.ts"
import { withoutSecrets } from "../refusal.ts"

const deadlines = { connectMs: 3_000, firstByteMs: 8_000, idleMs: 5_000 }
const answerLimit = 1024 * 1024
const methods = ["GET", "POST", "DELETE"] as const

/**
 * A `fetch` for libraries, by the client of upstreams: bounded in time and bytes, without redirects, and by a proxy only
 * where one is given.
 */
export const fetchBy =
  (proxy: string | undefined): Source["fetch"] =>
  (url, { body, headers, method = "GET" }) =>
    Effect.runPromise(
      callUpstream({
        method: methods.find((known) => known === method.toUpperCase()) ?? "GET",
        url,
        headers: Object.fromEntries(new Headers(headers)),
        ...(body !== null && body !== undefined && { body: textOf(body) }),
        deadlines,
        proxy
      }).pipe(
        Effect.mapError(
          ({ failure, said }) =>
            new NoCredentials({ isOutage: true, message: `${new URL(url).host}: ${said ?? failure.message}` })
        ),
        Effect.flatMap((exchange) =>
          Effect.map(
            Effect.promise(() => exchange.text(answerLimit)),
            (text) =>
              new Response(exchange.status < 400 ? text : withoutSecrets(text, secretsIn(new Headers(headers), body)), {
                status: exchange.status,
                headers: exchange.headers
              })
          )
        )
      )
    )

const isSecretName = /(?:secret|assertion|token|authorization|identity-header)$/i

/** The secrets of a request: a refusal may repeat them, and is shown to the operator. */
const secretsIn = (headers: Headers, body: BodyInit | null | undefined): ReadonlyArray<string> =>
  [...headers, ...new URLSearchParams(body === null || body === undefined ? "" : textOf(body))].flatMap(
    ([name, value]) => (isSecretName.test(name) && isSecret(value) ? [value.replace(/^Bearer /, "")] : [])
  )

/** Token services get texts alone. */
const textOf = (body: BodyInit): string => {
  if (typeof body === "string") return body
  if (body instanceof URLSearchParams) return body.toString()
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  throw new Error("a request to a token service that is no text")
}
