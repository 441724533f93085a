import { Cause, Effect, Either, Exit, Runtime } from "effect"
import type { Access } from "../access/Access.ts"
import { AccountId, KeyId, unrestricted } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest, UnknownRoute, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { AnyHandlers, Incoming } from "../contract/handlers.ts"
import type { Lifecycle } from "../health/Lifecycle.ts"
import type { Idempotency } from "../idempotency/Idempotency.ts"
import type { AccessLog } from "../telemetry/AccessLog.ts"
import { requestCounter } from "../telemetry/Metrics.ts"
import type { Metrics, RequestCounter } from "../telemetry/Metrics.ts"
import { failed, failureOf, json, newReply, own } from "./answer.ts"
import type { Reply } from "./answer.ts"
import { isLarge, parse, readText, unreadable } from "./body.ts"
import type { Fallback, RenderFailure, Route } from "./compile.ts"
import type { Cors } from "./cors.ts"
import { run } from "./run.ts"
import { endOfTurn, turn } from "./turn.ts"

/** Who opens endpoints: says who calls, and whether they may call now. */
export type Authenticator = Pick<Access, "authenticate" | "admit">

/** What the server brings to every request. */
export interface Serving {
  readonly runtime: Runtime.Runtime<never>
  readonly access: Authenticator
  readonly idempotency: Idempotency
  readonly log: (typeof AccessLog)["Service"]
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly cors: Cors | undefined
}

type Handler = AnyHandlers[string]
type Server = Bun.Server<undefined>

/** What one request has gathered on its way to the handler. */
interface Exchange {
  readonly serving: Serving
  readonly request: Bun.BunRequest | Request
  readonly server: Server
  readonly path: string
  readonly reply: Reply
  readonly renderFailure: RenderFailure
  readonly count: RequestCounter
}

/** What a handler gets, as reflection sees it. */
interface Input extends Record<string, unknown> {
  readonly request: Incoming
}

/** The caller of an endpoint that asks for no key. */
const nobody = Exit.succeed(unrestricted(AccountId.make(""), KeyId.make("")))

/** What waits for nothing is not awaited: each promise of the path of every request costs as much as a look-up. */
export const serveRoute = (serving: Serving, route: Route, handler: Handler) => {
  const count = requestCounter(serving.metrics, `${route.method} ${route.path}`)
  const isFixed = !/[:*]/.test(route.path)
  return async (request: Bun.BunRequest, server: Server): Promise<Response> => {
    const begun = performance.now()
    const reply = newReply()
    serving.cors?.allow(request, reply.headers)
    // Whoever keeps the connection would find nobody at its end.
    if (serving.lifecycle.isDraining()) reply.headers["connection"] = "close"
    const path = isFixed ? route.path : pathOf(request)
    const exchange = { serving, request, server, path, reply, renderFailure: route.renderFailure, count }
    let caller: Exit.Exit<Caller, Failure> | undefined
    let response: Response
    try {
      const opened = route.isPublic ? nobody : authenticated(exchange, route)
      caller = opened instanceof Promise ? await opened : opened
      response = Exit.isSuccess(caller)
        ? await handled(exchange, route, handler, caller.value)
        : failed(reply, route.renderFailure, failureOf(caller.cause, reply.requestId, report(exchange)))
    } catch (cause) {
      response = failed(reply, route.renderFailure, failureOf(Cause.die(cause), reply.requestId, report(exchange)))
    }
    record(exchange, response.status, begun, caller !== undefined && Exit.isSuccess(caller) ? caller.value : undefined)
    const together = endOfTurn()
    if (together !== undefined) await together
    return response
  }
}

/** Paths and methods that no route has, in the shape of the family whose prefix they share. */
export const fallback = (serving: Serving, fallbacks: ReadonlyArray<Fallback>) => {
  const count = requestCounter(serving.metrics, "other")
  return (request: Request, server: Server): Response => {
    const begun = performance.now()
    const reply = newReply()
    const path = pathOf(request)
    const preflight = serving.cors?.preflight(request, reply.headers)
    if (preflight !== undefined) return preflight
    serving.cors?.allow(request, reply.headers)
    const family = fallbacks.find(({ prefix }) => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`))
    if (family === undefined) return new Response(null, { status: 404 })
    const failure = new UnknownRoute({ message: `Invalid URL (${request.method} ${path})` })
    const response = failed(reply, family.renderFailure, failure)
    record({ serving, request, server, path, reply, count }, response.status, begun, undefined)
    return response
  }
}

type Opened = Exit.Exit<Caller, Failure>

const authenticated = (exchange: Exchange, route: Route): Opened | Promise<Opened> => {
  const caller = run(exchange, exchange.serving.access.authenticate(exchange.request.headers))
  return caller instanceof Promise
    ? caller.then((known) => admitted(exchange, route, known))
    : admitted(exchange, route, caller)
}

const admitted = (exchange: Exchange, route: Route, caller: Opened): Opened | Promise<Opened> => {
  if (Exit.isFailure(caller)) return caller
  const { reply, serving } = exchange
  const answer = run(exchange, serving.access.admit(caller.value, route.rateHeaders, reply.headers))
  const settle = (exit: Exit.Exit<void, Failure>) => (Exit.isFailure(exit) ? Exit.failCause(exit.cause) : caller)
  return answer instanceof Promise ? answer.then(settle) : settle(answer)
}

const handled = async (exchange: Exchange, route: Route, handler: Handler, caller: Caller): Promise<Response> => {
  const { reply, request } = exchange
  let text = ""
  let body: unknown
  let large = false
  if (route.decodePayload !== undefined) {
    try {
      const read = await readText(request, route.bodyLimit)
      if (typeof read !== "string") return failed(reply, route.renderFailure, read)
      text = read
    } catch {
      return failed(reply, route.renderFailure, unreadable)
    }
    // A large body is worked on in steps.
    large = isLarge(request)
    if (large) await turn()
    body = parse(text)
    if (body instanceof InvalidRequest) return failed(reply, route.renderFailure, body)
    if (large) await turn()
  }
  const input = decoded(exchange, route, caller, body)
  if (input instanceof InvalidRequest) return failed(reply, route.renderFailure, input)
  if (large) await turn()
  if (exchange.serving.lifecycle.isDraining() && !route.isPublic) {
    return failed(reply, route.renderFailure, new UpstreamFailed({ message: "The gateway is shutting down" }))
  }
  const key = route.isIdempotent ? request.headers.get("idempotency-key") : null
  const answer = key === null ? handler(input) : once({ exchange, route, handler, caller, input, text, key })
  const running = run(exchange, answer)
  const exit = running instanceof Promise ? await running : running
  if (Exit.isFailure(exit)) {
    return failed(reply, route.renderFailure, failureOf(exit.cause, reply.requestId, report(exchange)))
  }
  const { value } = exit
  if (value instanceof Response) {
    // A hang-up before Bun reads the stream would leave it running.
    if (request.signal.aborted) await value.body?.cancel()
    return own(reply, value)
  }
  return json(reply, route.status, route.encode(value))
}

interface Asked {
  readonly exchange: Exchange
  readonly route: Route
  readonly handler: Handler
  readonly caller: Caller
  readonly input: Input
  readonly text: string
  readonly key: string
}

/** Lets the handler run unless a request with this `Idempotency-Key` runs or has been answered. */
const once = ({ caller, exchange, handler, input, key, route, text }: Asked): Effect.Effect<Response, unknown> =>
  /^[\x20-\x7e]{1,255}$/.test(key)
    ? exchange.serving.idempotency.answer(
        {
          account: caller.account,
          endpoint: `${route.group}.${route.name}`,
          key,
          bodyHash: Bun.SHA256.hash(text, "hex")
        },
        (once) => handler({ ...input, request: { ...input.request, once } }),
        { status: route.status, render: (value) => JSON.stringify(route.encode(value)) }
      )
    : Effect.fail(malformedKey)

const malformedKey = new InvalidRequest({
  param: null,
  message: "Idempotency-Key: expected 1 to 255 printable ASCII characters"
})

/** Path, then query, then body. What can't be decoded is answered before a fiber exists. */
const decoded = (exchange: Exchange, route: Route, caller: Caller, body: unknown): Input | InvalidRequest => {
  const { reply, request, serving } = exchange
  const input: Input = {
    caller,
    request: {
      id: reply.requestId,
      method: request.method,
      path: exchange.path,
      headers: request.headers,
      body,
      replyHeaders: reply.headers,
      shutdown: serving.lifecycle.shutdown
    }
  }
  if (route.decodePath !== undefined) {
    const path = route.decodePath("params" in request ? request.params : {})
    if (Either.isLeft(path)) return path.left
    input["path"] = path.right
  }
  if (route.decodeUrlParams !== undefined) {
    const urlParams = route.decodeUrlParams(queryOf(request, route))
    if (Either.isLeft(urlParams)) return urlParams.left
    input["urlParams"] = urlParams.right
  }
  if (route.decodePayload !== undefined) {
    const payload = route.decodePayload(body)
    if (Either.isLeft(payload)) return payload.left
    input["payload"] = payload.right
  }
  return input
}

/** The path of a URL as Bun gives it; `new URL` would throw on a hostile `Host`. */
const pathOf = ({ url }: Request): string => {
  // After a `Host` that is none, Bun leaves the path alone.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const query = url.indexOf("?", start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

const queryOf = ({ url }: Request, route: Route): Record<string, string | ReadonlyArray<string>> => {
  const start = url.indexOf("?")
  const query: Record<string, string | ReadonlyArray<string>> = {}
  if (start === -1) return query
  const params = new URLSearchParams(url.slice(start + 1))
  for (const [name, value] of params) {
    if (!route.isArrayParam(name)) query[name] ??= value
    else query[name] ??= params.getAll(name)
  }
  return query
}

const record = (
  { count, path, reply, request, serving }: Omit<Exchange, "renderFailure">,
  status: number,
  begun: number,
  caller: Caller | undefined
) => {
  const millis = performance.now() - begun
  count(status, millis)
  serving.log.record({
    requestId: reply.requestId,
    method: request.method,
    path,
    status,
    millis,
    key: caller?.key
  })
}

/** A defect is logged once, here, under the id that the caller sees. */
const report =
  ({ reply, serving }: Exchange) =>
  (cause: Cause.Cause<unknown>) =>
    void Runtime.runFork(serving.runtime)(
      Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ requestId: reply.requestId }))
    )
