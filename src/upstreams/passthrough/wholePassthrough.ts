import { Struct } from "effect"
import type { WholeFamily } from "../../contract/kinds.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { parseJson, textAt } from "../../contract/json/json.ts"
import { runFuture } from "../../flow/runFuture.ts"
import { Future } from "../../flow/Future.ts"
import type { Generation } from "../../generation/Generation.ts"
import { acceptAnswer } from "../calls/acceptAnswer.ts"
import { beginCall, withOwn } from "../calls/client.ts"
import type { Deadlines } from "../calls/client.ts"
import type { Exchange } from "../calls/Exchange.ts"
import { addressOf, connectionOf, headersTo, makePlacing, secretsAt } from "../Endpoint.ts"
import type { Endpoint, EndpointOptions } from "../Endpoint.ts"
import { Answer } from "../text/generationOf.ts"
import type { Reader } from "../text/generationOf.ts"
import type { TextUpstreamOptions } from "../text/TextUpstreamOptions.ts"
import { compaction } from "./compaction.ts"
import { embeddings } from "./embeddings.ts"
import { moderations } from "./moderations.ts"
import { wholeAnswer } from "./wholeAnswer.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"
import { errorIn } from "../protocols/errorWords.ts"
import { tellingWhole } from "../protocols/toldCost.ts"
import type { WholeForm, WholePlace } from "../protocols/Protocol.ts"
import { bodyOf, isSuccess, refusalError } from "../calls/refusalError.ts"
import type { PassthroughEndpoint, GenerateOptions, PassthroughRequest } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { serializeBody } from "../calls/serializeBody.ts"
import { notLost } from "../text/unsendable.ts"
import { rerank } from "./rerank.ts"

interface Options extends EndpointOptions, Pick<TextUpstreamOptions, "tellsCost"> {
  readonly deadlines: Deadlines
}

/** The answers of each family that has whole ones. */
const answers: Readonly<Record<WholeFamily, WholeAnswer>> = {
  embeddings,
  rerank,
  moderations,
  compactions: compaction
}

/** An upstream's endpoints whose answers come whole: requests and answers pass through, or change their form. */
export const wholeEndpoints = (
  places: Readonly<Partial<Record<WholeFamily, WholePlace>>>,
  endpoint: Endpoint,
  options: Options
): Readonly<Partial<Record<WholeFamily, PassthroughEndpoint>>> =>
  Struct.keys(places).reduce<Partial<Record<WholeFamily, PassthroughEndpoint>>>((all, family) => {
    const place = places[family]
    return place === undefined ? all : { ...all, [family]: wholeEndpoint(family, place, endpoint, options) }
  }, {})

const wholeEndpoint = (
  family: WholeFamily,
  place: WholePlace,
  endpoint: Endpoint,
  options: Options
): PassthroughEndpoint => {
  const answer = options.tellsCost === true ? tellingWhole(answers[family]) : answers[family]
  const ask = asking(place, endpoint, options, (request) => wholeAnswer(request, answer, place.form?.raise))
  const send =
    answer.isOptional === true ? orOtherwise(ask) : (...[request, how]: Parameters<Send>) => ask(request, how)
  return { family, send }
}

/** How long an upstream without the endpoint is not asked again, in ms. */
const absentMs = 600_000

/** Asks an endpoint that not every server offers. One that lacks it is remembered for a while. */
const orOtherwise = (ask: ReturnType<typeof asking>): Send => {
  let absentUntil = -Infinity
  return (request, callOptions, otherwise) => {
    if (performance.now() < absentUntil) return otherwise()
    return ask(request, callOptions, (exchange) => {
      if (![404, 405, 501].includes(exchange.status)) return undefined
      return runFuture(callOptions.runtime, bodyOf(exchange)).flatMap((body) => {
        if (!namesPart(parseJson(body))) absentUntil = performance.now() + absentMs
        return otherwise()
      })
    })
  }
}

/** True if a 404 concerns something that the request names, not the path: the next request may succeed. */
const namesPart = (body: unknown): boolean => {
  const error = errorIn(body)
  return textAt(error, "param") !== undefined || textAt(error, "code")?.endsWith("_not_found") === true
}

type Send = PassthroughEndpoint["send"]
type Call = Future<Generation, Failure | UpstreamError>

/** Sends a body with the upstream's model name. If it is refused, the fallback may run. */
const asking = (
  { baseUrl: own, form, path }: WholePlace,
  endpoint: Endpoint,
  options: Options,
  read: (request: PassthroughRequest) => Reader
) => {
  const lower: WholeForm["lower"] = form?.lower ?? ((body) => ({ body, adapted: [] }))
  const baseUrl = own?.(options.baseUrl) ?? options.baseUrl
  const url = addressOf(endpoint, baseUrl, path)
  const secrets = secretsAt(options, url)
  const { deadlines } = options
  const placed = makePlacing(endpoint, baseUrl, path)
  return (
    request: PassthroughRequest,
    callOptions: GenerateOptions,
    instead?: (exchange: Exchange) => Call | undefined
  ): Call => {
    const lowered = lower({ ...request.body, model: callOptions.upstreamModel })
    if (lowered instanceof InvalidRequest) return Future.fail(lowered)
    const { adapted } = lowered
    const problem = notLost(adapted, callOptions)
    if (problem !== undefined) return Future.fail(problem)
    const { body: changed, url: at } = placed({ body: lowered.body, headers: undefined })
    const body = serializeBody(request, changed)
    return beginCall({
      url: at,
      headers: headersTo(endpoint, options, callOptions.trace),
      body,
      deadlines: withOwn(deadlines, callOptions.deadlines),
      attempt: callOptions.attempt,
      ...connectionOf(options)
    }).flatMap((exchange): Call => {
      if (isSuccess(exchange)) {
        return acceptAnswer(
          new Answer(read(request), exchange, { passthrough: true, adapted, secrets }),
          exchange,
          callOptions
        )
      }
      return (
        instead?.(exchange) ??
        runFuture(callOptions.runtime, refusalError({ exchange, options, url, sent: body, isPassthrough: true }))
      )
    })
  }
}
