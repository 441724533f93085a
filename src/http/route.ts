import { Cause, Effect, Either } from "effect"
import { AccountId, KeyId, unrestricted } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest, UnknownRoute, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { pathOf } from "../contract/pathOf.ts"
import { RequestRecord } from "../contract/RequestRecord.ts"
import type { Admitted } from "../contract/Standing.ts"
import { Begun, Failed, Succeeded } from "../flow/Begun.ts"
import type { Settled } from "../flow/Begun.ts"
import { came, endOfTurn, nextTurn } from "../flow/eventLoop.ts"
import { requestCounter } from "../telemetry/Metrics.ts"
import { json, newReply, own } from "./answer.ts"
import { isLarge, nothing, parse, readText, unreadable } from "./body.ts"
import type { Read } from "./body.ts"
import type { Fallback, Route } from "./compile.ts"
import { tellWhole } from "./rateHeaders.ts"
import { echo } from "./echo.ts"
import { over, refused, told } from "./ending.ts"
import { doubled } from "./doubled.ts"
import type { Exchange, Handler, Input, Server, Serving } from "./exchange.ts"
import type { Framed } from "./Framed.ts"
import { nulInParams } from "./nul.ts"
import { once } from "./once.ts"
import { run } from "./run.ts"
import { queryOf } from "./url.ts"

/** The caller of an endpoint that asks for no key. */
const nobody = Begun.succeed(unrestricted(AccountId.make(""), KeyId.make("")))

/** What waits for nothing is not awaited: each promise of the path of every request costs as much as a look-up. */
export const serveRoute = (serving: Serving, route: Route, handler: Handler) => {
  const count = requestCounter(serving.metrics, `${route.method} ${route.path}`)
  const isFixed = !/[:*]/.test(route.path)
  const named = { family: route.group, endpoint: route.path }
  // Probes come every few seconds, and say nothing.
  const isTraced = route.group !== "health"
  return async (request: Bun.BunRequest | Request, server: Server, framed?: Framed): Promise<Response> => {
    const begun = performance.now()
    came(begun)
    const reply = newReply(serving.newRequestId())
    echo(request.headers, reply.headers)
    serving.cors?.allow(request, reply.headers)
    // Whoever keeps the connection would find nobody at its end.
    if (serving.lifecycle.isLeaving()) reply.headers["connection"] = "close"
    const path = isFixed ? route.path : pathOf(request)
    const record = new RequestRecord(
      { requestId: reply.requestId, method: request.method, path },
      named,
      begun,
      serving.ended
    )
    if (serving.tracing !== undefined && isTraced) record.trace = serving.tracing.begin(request.headers)
    const exchange: Exchange = {
      serving,
      request,
      server,
      path,
      reply,
      record,
      renderFailure: route.renderFailure,
      count,
      framed,
      recorded: undefined,
      hasWaited: false
    }
    let response: Response
    try {
      const opened = route.isPublic ? nobody : authenticated(exchange, route)
      const caller = opened instanceof Promise ? await opened : opened
      response =
        caller instanceof Succeeded
          ? await handled(exchange, route, handler, caller.value)
          : refused(exchange, caller.cause)
    } catch (cause) {
      response = refused(exchange, Cause.die(cause))
    }
    if (exchange.recorded !== undefined) response = serving.bodies.record(exchange.recorded, response)
    over(exchange, response.status, begun)
    // While it was waited for nothing cut the connection. From here on whoever takes nothing is, and whoever asks no more.
    if (exchange.hasWaited) server.timeout(request, serving.takingSeconds)
    const together = endOfTurn()
    if (together !== undefined) await together
    return response
  }
}

/** Says no to whoever has no key for a route, or comes too late; undefined where a socket may be opened. */
export const knock = (serving: Serving, route: Route) => {
  const count = requestCounter(serving.metrics, `GET ${route.path}`)
  return async (request: Bun.BunRequest, server: Server): Promise<Response | undefined> => {
    const begun = performance.now()
    const reply = newReply(serving.newRequestId())
    echo(request.headers, reply.headers)
    const { path, renderFailure } = route
    const record = new RequestRecord(
      { requestId: reply.requestId, method: request.method, path },
      { family: route.group, endpoint: path },
      begun,
      serving.ended
    )
    const exchange: Exchange = {
      serving,
      request,
      server,
      path,
      reply,
      record,
      renderFailure,
      count,
      recorded: undefined,
      hasWaited: false
    }
    const opened = await run(exchange, serving.access.authenticate(request.headers, exchange))
    if (!(opened instanceof Failed) && !serving.lifecycle.isDraining()) return undefined
    const response = opened instanceof Failed ? refused(exchange, opened.cause) : told(exchange, shuttingDown)
    over(exchange, response.status, begun)
    return response
  }
}

/** Paths and methods that no route has, in the shape of the family whose prefix they share. */
export const fallback = (serving: Serving, fallbacks: ReadonlyArray<Fallback>) => {
  const count = requestCounter(serving.metrics, "other")
  return (request: Request, server: Server): Response => {
    const begun = performance.now()
    const reply = newReply(serving.newRequestId())
    echo(request.headers, reply.headers)
    const path = pathOf(request)
    const preflight = serving.cors?.preflight(request, reply.headers)
    if (preflight !== undefined) return preflight
    serving.cors?.allow(request, reply.headers)
    const twice = doubled(path)
    const meant = twice === undefined ? path : path.slice(twice.length)
    const family = fallbacks.find(({ prefix }) => prefix === "/" || meant === prefix || meant.startsWith(`${prefix}/`))
    if (family === undefined) return new Response(null, { status: 404 })
    const advice = twice === undefined ? "" : `: leave "${twice}" out of the base URL, the client adds it itself`
    const failure = new UnknownRoute({ message: `Invalid URL (${request.method} ${path})${advice}` })
    const named = { family: "none", endpoint: "other" }
    const ids = { requestId: reply.requestId, method: request.method, path }
    const record = new RequestRecord(ids, named, begun, serving.ended)
    const { renderFailure } = family
    const exchange: Exchange = {
      serving,
      request,
      server,
      path,
      reply,
      record,
      renderFailure,
      count,
      recorded: undefined,
      hasWaited: false
    }
    const response = told(exchange, failure)
    over(exchange, response.status, begun)
    return response
  }
}

type Opened = Settled<Caller, Failure>

const authenticated = (exchange: Exchange, route: Route): Opened | Promise<Opened> => {
  const caller = run(exchange, exchange.serving.access.authenticate(exchange.request.headers, exchange))
  if (!(caller instanceof Promise)) return admitted(exchange, route, caller)
  exchange.hasWaited = true
  return caller.then((known) => admitted(exchange, route, known))
}

const admitted = (exchange: Exchange, route: Route, caller: Opened): Opened | Promise<Opened> => {
  if (caller instanceof Failed) return caller
  const { reply, serving } = exchange
  exchange.record.opened(caller.value)
  const answer = run(exchange, serving.access.admit(caller.value))
  const opened = (end: Settled<Admitted>) => {
    if (end instanceof Failed) return end
    if (route.tellStanding !== undefined) tellWhole(route.tellStanding, reply.headers, end.value)
    return end.value.refusal === undefined ? caller : Begun.fail(end.value.refusal)
  }
  if (!(answer instanceof Promise)) return opened(answer)
  exchange.hasWaited = true
  return answer.then(opened)
}

const shuttingDown = new UpstreamFailed({ message: "The gateway is shutting down" })

const handled = async (exchange: Exchange, route: Route, handler: Handler, caller: Caller): Promise<Response> => {
  const { reply, request } = exchange
  let text = ""
  let read: Read = nothing
  if (exchange.framed !== undefined) {
    const { body } = (read = exchange.framed)
    recordFrom(exchange, caller, () => JSON.stringify(body))
  } else if (route.decodePayload !== undefined) {
    try {
      // Looking a key up may have lifted it, and an answer before it: whoever is new may be slow no longer than others.
      exchange.server.timeout(request, exchange.serving.idleSeconds)
      const sent = await readText(request, route.bodyLimit)
      if (typeof sent !== "string") return told(exchange, sent)
      text = sent
      recordFrom(exchange, caller, () => sent)
    } catch {
      return told(exchange, unreadable)
    }
    // A large body is worked on in steps.
    const large = isLarge(text)
    if (large) await nextTurn()
    const parsed = parse(text)
    if (parsed instanceof InvalidRequest) return told(exchange, parsed)
    if (large) await nextTurn()
    read = { body: parsed.body, bodyText: parsed.bodyText, isLarge: large }
  }
  exchange.record.describe(request.headers, read.body)
  const input = decoded(exchange, route, caller, read)
  if (input instanceof InvalidRequest) return told(exchange, input)
  if (read.isLarge) await nextTurn()
  if (exchange.serving.lifecycle.isDraining() && !route.isPublic) {
    return told(exchange, shuttingDown)
  }
  const key = route.isIdempotent ? request.headers.get("idempotency-key") : null
  const answer = key === null ? handler(input) : once({ exchange, route, handler, caller, input, text, key })
  const running = run(exchange, answer)
  exchange.hasWaited ||= running instanceof Promise
  const end = running instanceof Promise ? await running : running
  if (end instanceof Failed) {
    return refused(exchange, end.cause)
  }
  const { value } = end
  if (value instanceof Response) {
    exchange.hasWaited = true
    if (key !== null) {
      exchange.record.repetition = value.headers.get("idempotent-replayed") === "true" ? "replayed" : "once"
    }
    // A hang-up before Bun reads the stream would leave it running.
    if (request.signal.aborted) await value.body?.cancel()
    return own(reply, value)
  }
  return json(reply, route.status, route.encode(value))
}

/** What was asked is kept where its account wants it: as a body, or as a message of a socket. */
const recordFrom = (exchange: Exchange, { account }: Caller, text: () => string): void => {
  const { reply, serving } = exchange
  if (serving.bodies.isOn(account)) exchange.recorded = { requestId: reply.requestId, account, text: text() }
}

/** Path, then query, then body. What can't be decoded is answered before a fiber exists. */
const decoded = (
  exchange: Exchange,
  route: Route,
  caller: Caller,
  { body, bodyText, isLarge }: Read
): Input | InvalidRequest => {
  const { reply, request, serving } = exchange
  const input: Input = {
    caller,
    request: {
      id: reply.requestId,
      method: request.method,
      path: exchange.path,
      headers: request.headers,
      body,
      bodyText,
      isLarge,
      replyHeaders: reply.headers,
      tellStanding: route.tellStanding,
      record: exchange.record,
      trace: exchange.record.trace,
      shutdown: serving.lifecycle.shutdown,
      stillOpens: route.isLongLived
        ? Effect.isSuccess(Effect.suspend(() => serving.access.authenticate(request.headers, exchange)))
        : undefined,
      connection: exchange.framed?.connection
    }
  }
  if (route.decodePath !== undefined) {
    const params = "params" in request ? request.params : {}
    const nul = nulInParams(params)
    if (nul !== undefined) return nul
    const path = route.decodePath(params)
    if (Either.isLeft(path)) return path.left
    input["path"] = path.right
  }
  if (route.decodeUrlParams !== undefined) {
    const query = queryOf(request, route)
    const nul = nulInParams(query)
    if (nul !== undefined) return nul
    const urlParams = route.decodeUrlParams(query)
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
