import { Effect, Runtime } from "effect"
import { callUpstream } from "../calls/client.ts"
import { NoCredentials } from "../../credentials/Auth.ts"
import { promiseRunner } from "../../credentials/promiseRunner.ts"
import type { Source } from "../../credentials/Source.ts"

const deadlines = { connectMs: 3_000, firstByteMs: 8_000, idleMs: 5_000 }
const answerLimit = 1024 * 1024
const methods = ["GET", "POST", "PUT", "DELETE"] as const
const run = promiseRunner(Runtime.defaultRuntime)

/**
 * A `fetch` for libraries, by the client of upstreams: bounded in time and bytes, without redirects, and by a proxy only
 * where one is given. Rejects with `NoCredentials` where there is no whole answer.
 *
 * @param longestMs of a call with its answer
 */
export const fetchBy =
  (proxy: string | undefined, longestMs = 20_000): Source["fetch"] =>
  (url, { body, headers, method = "GET" }) => {
    const failureOf = (words: string) =>
      new NoCredentials({ isOutage: true, message: `${new URL(url).host}: ${words}` })
    return run(
      callUpstream({
        method: methods.find((known) => known === method.toUpperCase()) ?? "GET",
        url,
        headers: Object.fromEntries(new Headers(headers)),
        ...(body !== null && body !== undefined && { body: textOf(body) }),
        deadlines,
        proxy
      }).pipe(
        Effect.mapError(({ failure, said, status }) =>
          failureOf(said ?? (status === undefined ? "no answer in time" : failure.message))
        ),
        Effect.flatMap((exchange) =>
          Effect.tryPromise({
            try: () => exchange.text(answerLimit),
            catch: () => failureOf("the connection broke")
          }).pipe(
            Effect.onInterrupt(() => Effect.sync(() => exchange.cancel())),
            Effect.filterOrFail(
              (text) => Buffer.byteLength(text) <= answerLimit,
              () => failureOf("an answer of more than 1 MiB")
            ),
            Effect.flatMap((text) =>
              Effect.try({
                try: () => new Response(text, { status: exchange.status, headers: exchange.headers }),
                catch: () => failureOf(`an answer with status ${exchange.status}`)
              })
            )
          )
        ),
        Effect.timeoutFail({
          duration: longestMs,
          onTimeout: () => failureOf(`no complete answer within ${longestMs / 1_000} seconds`)
        })
      )
    )
  }

/** Token services get texts alone. */
const textOf = (body: BodyInit): string => {
  if (typeof body === "string") return body
  if (body instanceof URLSearchParams) return body.toString()
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  throw new Error("a request to a token service that is no text")
}
