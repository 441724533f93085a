import { Effect, Either } from "effect"
import { reachesSame } from "../contract/callers/Acting.ts"
import { Caller } from "../contract/callers/Caller.ts"
import type { FormBounds, LongBodies } from "../contract/annotations.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { InvalidRequest, RateLimited } from "../contract/failures/Failure.ts"
import { isJsonObject } from "../contract/fields.ts"
import { forbidden } from "../contract/callers/permission.ts"
import { Future, Failed } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { json, own, shuttingDown } from "./answer.ts"
import { isLarge, nothing, parse, readText, unreadable } from "./body.ts"
import type { Read } from "./body.ts"
import type { Route } from "./compile.ts"
import { endHungUp, renderedCause, renderedFailure } from "./finish.ts"
import type { Exchange, Handler, Input } from "./exchange.ts"
import { isForm, readForm } from "./form/readForm.ts"
import { isLong, readLong } from "./form/readLong.ts"
import { NotSpooled } from "./form/Spool.ts"
import { nulInParams } from "../contract/json/nul.ts"
import { once } from "./once.ts"
import { authenticate } from "./authenticate.ts"
import type { Opened } from "./authenticate.ts"
import { run } from "./run.ts"
import type { Holding } from "./Unfinished.ts"
import { queryOf } from "./url.ts"

/** A request with its route and handler. */
interface Asking {
  readonly exchange: Exchange
  readonly route: Route
  readonly handler: Handler
  /** True if it has an `Idempotency-Key`. */
  isKeyed: boolean
}

/** Answers a request. Without waiting, there is no promise, because each costs as much as a look-up. */
export const answerRequest = (asking: Asking): Response | Promise<Response> => {
  const { exchange, route } = asking
  // Before the look-up of a key: a request that is refused here has no row.
  if (exchange.serving.lifecycle.isDraining() && !route.isPublic) return renderedFailure(exchange, shuttingDown)
  const caller = route.isPublic ? anonymous : authenticate(exchange, route)
  return caller instanceof Promise ? caller.then((known) => enter(asking, known)) : enter(asking, caller)
}

/** The caller of a public endpoint. */
const anonymous = Future.succeed(Caller.unrestricted("", ""))

const enter = (asking: Asking, caller: Opened): Response | Promise<Response> => {
  const { exchange, route } = asking
  if (caller instanceof Failed) return renderedCause(exchange, caller.cause)
  const { value } = caller
  const { framed } = exchange
  if (framed !== undefined) {
    recordFrom(exchange, value, () => JSON.stringify(framed.body))
    return answerCaller(asking, value, framed)
  }
  return route.decodePayload === undefined ? answerCaller(asking, value, nothing) : read(asking, value)
}

/** Reads the body, then answers. */
const read = async (asking: Asking, caller: Caller): Promise<Response> => {
  const { exchange, route } = asking
  const { request, server, serving } = exchange
  const { form, long } = route
  if (form !== null && isForm(request)) {
    return readToDisk(asking, caller, (holding) => formOnDisk(exchange, form, holding))
  }
  if (long !== null && isLong(request)) {
    return readToDisk(asking, caller, (holding) => longOnDisk(exchange, long, route.bodyLimit, holding))
  }
  const holding = begin(exchange, caller)
  if (holding instanceof RateLimited) return renderedFailure(exchange, holding)
  let text = ""
  try {
    // Bun's idle timeout, which the look-up of the key or an earlier answer on the connection may have lifted.
    server.timeout(request, serving.idleSeconds)
    const sent = await readText(request, route.memoryLimit, holding)
    if (typeof sent !== "string") return renderedFailure(exchange, sent)
    text = sent
    recordFrom(exchange, caller, () => sent)
  } catch {
    return request.signal.aborted ? endHungUp(exchange) : renderedFailure(exchange, unreadable)
  } finally {
    holding.endBody()
  }
  // Large bodies are processed in several turns of the event loop.
  const large = isLarge(text)
  if (large) await nextTurn()
  const parsed = parse(text || route.emptyBody)
  if (parsed instanceof InvalidRequest) return renderedFailure(exchange, parsed)
  if (large) await nextTurn()
  const input = inputOf(asking, caller, { ...parsed, isLarge: large })
  if (input instanceof InvalidRequest) return renderedFailure(exchange, input)
  if (large) await nextTurn()
  const running = beginAnswer(asking, caller, input, text)
  return conclude(asking, running instanceof Promise ? await running : running)
}

/** Takes the request's connection until the request has ended. A refused one is closed: it would go on to be held. */
const begin = ({ record, reply, serving }: Exchange, caller: Caller): Holding | RateLimited => {
  const holding = serving.unfinished.begin(caller)
  if (holding instanceof RateLimited) reply.headers["connection"] = "close"
  else record.holding = holding
  return holding
}

/** A body on disk, and what is decoded of it. */
interface OnDisk {
  readonly read: Read
  /** The same for each time that a client sends it. */
  readonly text: string
  readonly discard: () => Promise<void>
}

/** Reads a form. Its boundary differs each time that a client sends the same. */
const formOnDisk = async ({ request }: Exchange, bounds: FormBounds, holding: Holding): Promise<OnDisk | Failure> => {
  const form = await readForm(request, bounds, holding)
  if (form instanceof Error) return form
  const { body } = form
  const read = { body, bodyText: undefined, isLarge: false, namesFiles: false }
  return { read, text: JSON.stringify(body), discard: () => form.discard() }
}

const longOnDisk = async (
  { request }: Exchange,
  { seconds, shownAs }: LongBodies,
  bytes: number,
  holding: Holding
): Promise<OnDisk | Failure> => {
  const sent = await readLong(request, { bytes, seconds }, holding)
  if (sent instanceof Error) return sent
  const { discard, file } = sent
  const read = { body: shownAs, bodyText: undefined, isLarge: false, namesFiles: false, long: file }
  return { read, text: JSON.stringify(file), discard }
}

/** Reads a body to disk, then answers. Its files are deleted once the handler has ended. */
const readToDisk = async (
  asking: Asking,
  caller: Caller,
  onDisk: (holding: Holding) => Promise<OnDisk | Failure>
): Promise<Response> => {
  const { exchange } = asking
  const { request, server, serving } = exchange
  const holding = begin(exchange, caller)
  if (holding instanceof RateLimited) return renderedFailure(exchange, holding)
  let sent: OnDisk | undefined
  try {
    server.timeout(request, serving.idleSeconds)
    const read = await onDisk(holding)
    if (read instanceof Error) return renderedFailure(exchange, read)
    sent = read
    recordFrom(exchange, caller, () => read.text)
    const input = inputOf(asking, caller, read.read)
    if (input instanceof InvalidRequest) return renderedFailure(exchange, input)
    return await conclude(asking, await beginAnswer(asking, caller, input, read.text))
  } catch (cause) {
    if (sent !== undefined || cause instanceof NotSpooled) throw cause
    return request.signal.aborted ? endHungUp(exchange) : renderedFailure(exchange, unreadable)
  } finally {
    await sent?.discard()
    holding.endBody()
  }
}

/** Answers a request whose body was read, if it has one. */
const answerCaller = (asking: Asking, caller: Caller, sent: Read): Response | Promise<Response> => {
  const input = inputOf(asking, caller, sent)
  if (input instanceof InvalidRequest) return renderedFailure(asking.exchange, input)
  const work = () => {
    const running = beginAnswer(asking, caller, input, "")
    return running instanceof Promise ? running.then((end) => conclude(asking, end)) : conclude(asking, running)
  }
  return sent.isLarge ? nextTurn().then(work) : work()
}

/** The handler's input. */
const inputOf = (asking: Asking, caller: Caller, sent: Read): Input | InvalidRequest => {
  const { record, request } = asking.exchange
  record.describe(request.headers, sent.body)
  return decoded(asking, caller, sent)
}

/** Begins the answer, once for all requests with the same `Idempotency-Key`. */
const beginAnswer = (asking: Asking, caller: Caller, input: Input, text: string) => {
  const { exchange, handler, route } = asking
  // Its body came too late.
  if (exchange.serving.lifecycle.shutdown.aborted && !route.isPublic) return Future.fail(shuttingDown)
  const key = route.isIdempotent ? exchange.request.headers.get("idempotency-key") : null
  const isKeyed = key !== null && mayReplay(asking, caller, input)
  asking.isKeyed = isKeyed
  const answer = isKeyed ? once({ exchange, route, handler, caller, input, text, key }) : handler(input)
  const running = run(exchange, answer)
  exchange.hasWaited ||= running instanceof Promise
  return running
}

/**
 * Replayed answers are shared by an account. A key that may not use the model gets the handler's refusal instead of
 * another key's answer.
 */
const mayReplay = ({ exchange }: Asking, caller: Caller, { request }: Input): boolean => {
  const model = isJsonObject(request.body) ? request.body["model"] : undefined
  return typeof model !== "string" || forbidden(caller, { id: model, ...exchange.serving.aliasOf(model) }) === undefined
}

/** The answer from the handler's result. */
const conclude = (
  { exchange, isKeyed, route }: Asking,
  end: Settled<unknown, unknown>
): Response | Promise<Response> => {
  const { record, reply, request } = exchange
  if (record.generation?.isLeft === true) return concludeLeft(exchange, end)
  if (end instanceof Failed) return renderedCause(exchange, end.cause)
  const { value } = end
  if (!(value instanceof Response)) return json(reply, route.status, route.encode(value))
  exchange.hasWaited = true
  if (isKeyed) record.repetition = value.headers.get("idempotent-replayed") === "true" ? "replayed" : "once"
  // If the client disconnects before Bun reads the stream, Bun does not cancel it.
  const cancelled = request.signal.aborted ? value.body?.cancel() : undefined
  return cancelled === undefined ? own(reply, value) : cancelled.then(() => own(reply, value))
}

/**
 * Ends a request that was read on without its client. A stream goes on by itself, and is over once it is charged; a whole
 * answer is taken, so that it is kept for its `Idempotency-Key`.
 */
const concludeLeft = (exchange: Exchange, end: Settled<unknown, unknown>): Response | Promise<Response> => {
  if (end instanceof Failed || !(end.value instanceof Response)) return endHungUp(exchange)
  const { value } = end
  const isStream = value.headers.get("content-type")?.startsWith("text/event-stream") === true
  const over: Promise<unknown> | undefined = isStream ? value.body?.cancel() : value.arrayBuffer()
  const hungUp = () => endHungUp(exchange)
  return over === undefined ? hungUp() : over.then(hungUp, hungUp)
}

/** Keeps the request for its account's records or its trace: a body, or a socket's message. */
const recordFrom = (exchange: Exchange, { account }: Caller, text: () => string): void => {
  const { record, serving } = exchange
  if (serving.bodies.isOn(account, record.trace)) exchange.recorded = { account, record, text: text() }
}

/** Decodes path, query and body, in this order. A mistake is answered without a fiber. */
const decoded = (
  { exchange, route }: Asking,
  caller: Caller,
  { body, bodyText, isLarge, long, namesFiles }: Read
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
      ...(long !== undefined && { long }),
      namesFiles,
      replyHeaders: reply.headers,
      tellStanding: route.tellStanding,
      record: exchange.record,
      trace: exchange.record.trace,
      shutdown: serving.lifecycle.shutdown,
      stillOpens: route.isLongLived
        ? Effect.match(
            Effect.suspend(() => serving.access.authenticate(request.headers, exchange, route)),
            { onFailure: () => false, onSuccess: (now) => reachesSame(now.within, caller.within) }
          )
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
