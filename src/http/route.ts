import { Cause } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { RateLimited } from "../contract/failures/Failure.ts"
import { pathOf } from "../contract/text/pathOf.ts"
import { unknownRoute } from "../contract/failures/unknownRoute.ts"
import { RequestRecord } from "../contract/records/RequestRecord.ts"
import { Failed } from "../flow/Future.ts"
import { came, endOfTurn } from "../flow/eventLoop.ts"
import { requestCounter } from "../telemetry/Metrics.ts"
import { newReply, shuttingDown } from "./answer.ts"
import type { Fallback, Route } from "./compile.ts"
import { echo } from "./echo.ts"
import { finish, renderedCause, renderedFailure } from "./finish.ts"
import type { Exchange, Handler, Server, Serving } from "./exchange.ts"
import type { Framed } from "./Framed.ts"
import { answerRequest } from "./answerRequest.ts"
import { endpointPath } from "./misspelt.ts"
import { run } from "./run.ts"
import { Holding } from "./Unfinished.ts"

/** Serves an endpoint, with plain calls as long as nothing waits. */
export const serveRoute = (serving: Serving, route: Route, handler: Handler) => {
  const count = requestCounter(serving.metrics, `${route.method} ${route.path}`)
  const isFixed = !/[:*]/.test(route.path)
  const named = { family: route.family, endpoint: route.path }
  // Frequent probes would only clutter traces.
  const isTraced = route.group !== "health"
  return (request: Bun.BunRequest | Request, server: Server, framed?: Framed): Response | Promise<Response> => {
    const begun = performance.now()
    came(begun)
    const reply = newReply(serving.newRequestId())
    echo(request.headers, reply.headers)
    serving.cors?.allow(request, reply.headers)
    // A kept connection would end with this process.
    if (serving.lifecycle.isLeaving()) reply.headers["connection"] = "close"
    const path = isFixed ? route.path : endpointPath(pathOf(request))
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
      renderFailure: route.rendererFor(request.headers),
      count,
      framed,
      recorded: undefined,
      isAgent: false,
      hasWaited: false
    }
    let response: Response | Promise<Response>
    try {
      response = answerRequest({ exchange, route, handler, isKeyed: false })
    } catch (cause) {
      response = renderedCause(exchange, Cause.die(cause))
    }
    if (response instanceof Promise) return later(exchange, response, begun)
    const answer = leave(exchange, response, begun)
    const together = endOfTurn()
    return together === undefined ? answer : together.then(() => answer)
  }
}

const later = async (exchange: Exchange, answer: Promise<Response>, begun: number): Promise<Response> => {
  let response: Response
  try {
    response = await answer
  } catch (cause) {
    response = renderedCause(exchange, Cause.die(cause))
  }
  response = leave(exchange, response, begun)
  const together = endOfTurn()
  if (together !== undefined) await together
  return response
}

/** Records the body and finishes the exchange, just before the answer's head is sent. */
const leave = (exchange: Exchange, response: Response, begun: number): Response => {
  const { recorded, request, server, serving } = exchange
  const answer = recorded === undefined ? response : serving.bodies.record(recorded, response)
  finish(exchange, answer.status, begun)
  // No timeout applied while the handler waited. From here on one applies to clients that read nothing, and to idle ones.
  if (exchange.hasWaited) server.timeout(request, serving.takingSeconds)
  return answer
}

/** The caller of a socket, and what the socket holds until it is closed. */
interface SocketCaller {
  readonly caller: Caller
  readonly holding: Holding
}

/**
 * Authenticates a caller that opens a socket.
 *
 * @param begin takes what the socket holds, or refuses it if the caller has too many
 */
export const authenticate = (
  serving: Serving,
  route: Route,
  begin: (caller: Caller) => Holding | RateLimited
): ((request: Bun.BunRequest, server: Server) => Promise<Response | SocketCaller>) => {
  const count = requestCounter(serving.metrics, `GET ${route.path}`)
  return async (request, server) => {
    const begun = performance.now()
    const reply = newReply(serving.newRequestId())
    echo(request.headers, reply.headers)
    const { path } = route
    const renderFailure = route.rendererFor(request.headers)
    const record = new RequestRecord(
      { requestId: reply.requestId, method: request.method, path },
      { family: route.family, endpoint: path },
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
      isAgent: false,
      hasWaited: false
    }
    const opened = await run(exchange, serving.access.authenticate(request.headers, exchange, route))
    let response: Response
    if (opened instanceof Failed) response = renderedCause(exchange, opened.cause)
    else {
      record.opened(opened.value)
      const begun = serving.lifecycle.isDraining() ? shuttingDown : begin(opened.value)
      if (begun instanceof Holding) return { caller: opened.value, holding: begun }
      response = renderedFailure(exchange, begun)
    }
    finish(exchange, response.status, begun)
    return response
  }
}

/** Answers unknown paths and methods in the form of the family whose prefix matches. */
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
    const meant = endpointPath(path)
    const family = fallbacks.find(({ prefix }) => prefix === "/" || meant === prefix || meant.startsWith(`${prefix}/`))
    if (family === undefined) return new Response(null, { status: 404 })
    const failure = unknownRoute(request)
    const named = { family: "none", endpoint: "other" }
    const ids = { requestId: reply.requestId, method: request.method, path }
    const record = new RequestRecord(ids, named, begun, serving.ended)
    const renderFailure = family.rendererFor(request.headers)
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
      isAgent: false,
      hasWaited: false
    }
    const response = renderedFailure(exchange, failure)
    finish(exchange, response.status, begun)
    return response
  }
}
