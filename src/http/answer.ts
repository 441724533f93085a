import { Cause, Option } from "effect"
import { failures, Internal, tooFewDescriptors, UpstreamFailed } from "../contract/failures/Failure.ts"
import { challengeOf } from "../contract/failures/challengeOf.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import { wholeBody } from "../contract/bodies/wholeBody.ts"
import { jsonOf } from "../contract/records/Written.ts"
import { descriptors } from "../flow/Descriptors.ts"
import type { RenderFailure } from "./compile.ts"

/** The id and headers of one request's answer. */
export interface Reply {
  readonly requestId: string
  readonly headers: Record<string, string>
}

/** Starts a reply with the request id under both names, for both families' clients. */
export const newReply = (requestId: string): Reply => ({
  requestId,
  headers: { "x-request-id": requestId, "request-id": requestId }
})

/** Makes unique, not secret ids: a random prefix and a counter. */
export const makeRequestIds = (): (() => string) => {
  const prefix = `req_${randomHex().slice(0, 16)}`
  let requests = 0
  return () => prefix + (++requests).toString(36).padStart(8, "0")
}

export const json = (reply: Reply, status: number, body: unknown): Response => {
  if (body === undefined) return new Response(null, { status, headers: reply.headers })
  reply.headers["content-type"] = "application/json"
  return new Response(wholeBody(jsonOf(body)), { status, headers: reply.headers })
}

/** Adds the reply's headers to a handler's own `Response` (a stream, a file), unless it has them. */
export const own = (reply: Reply, response: Response): Response => {
  if (response.headers.get("x-request-id") === reply.requestId) return response
  for (const name in reply.headers) response.headers.set(name, reply.headers[name] ?? "")
  return response
}

export const failureResponse = (reply: Reply, render: RenderFailure, failure: Failure): Response => {
  const { body, status } = render(failure, reply.requestId)
  const waitSeconds = retryAfterSeconds(failure)
  if (waitSeconds !== undefined) {
    reply.headers["retry-after"] = String(Math.max(1, Math.ceil(waitSeconds)))
    reply.headers["retry-after-ms"] = String(Math.max(1, Math.ceil(waitSeconds * 1_000)))
  }
  const challenge = challengeOf(failure)
  if (challenge !== undefined) reply.headers["www-authenticate"] = challenge
  if (isFinal(status) || neverFits(failure)) reply.headers["x-should-retry"] = "false"
  return json(reply, status, body)
}

/** True if the same request would be refused at any time. */
const neverFits = (failure: Failure): boolean => failure._tag === "RateLimited" && failure.neverFits === true

/** Sent with every 429 that a wait may help, and with upstream failures while a circuit breaker is open. */
const retryAfterSeconds = (failure: Failure): number | undefined =>
  failure._tag === "RateLimited"
    ? failure.neverFits === true
      ? undefined
      : (failure.retryAfterSeconds ?? 1)
    : failure._tag === "UpstreamFailed"
      ? failure.retryAfterSeconds
      : undefined

/** True if a retry would fail again. Without `x-should-retry: false`, clients retry a 409 and agents a 401 for a minute or more. */
export const isFinal = (status: number): boolean => status >= 400 && status < 429 && status !== 408

export const shuttingDown = new UpstreamFailed({ message: "The gateway is shutting down" })

/** The answer of a request whose client has left, for its row and the metrics only. */
export const hungUp = ({ headers }: Reply): Response => new Response(null, { status: 499, headers })

/** The failure in a cause: a declared failure, `shuttingDown` for an interruption by shutdown, otherwise `Internal`. */
export const failureOf = (
  cause: Cause.Cause<unknown>,
  requestId: string,
  { isStopping, report }: { readonly isStopping: boolean; readonly report: (cause: Cause.Cause<unknown>) => void }
) => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  if (isFailure(failure)) return failure
  if (isStopping && Cause.isInterruptedOnly(cause)) return shuttingDown
  report(cause)
  // Any open of a file or a socket fails then.
  if (descriptors.isExhausted()) return tooFewDescriptors
  return new Internal({ message: `Internal error; the request id is ${requestId}` })
}

const isFailure = (value: unknown): value is Failure =>
  typeof value === "object" &&
  value !== null &&
  "_tag" in value &&
  typeof value._tag === "string" &&
  value._tag in failures
