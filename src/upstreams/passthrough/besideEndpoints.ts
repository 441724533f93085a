import { Struct } from "effect"
import { familyOf, isBytes, isWhole } from "../../contract/kinds.ts"
import type { BesideFamily, BytesFamily, WholeFamily } from "../../contract/kinds.ts"
import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
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
import { withDataUrls } from "./withDataUrls.ts"
import { wholeAnswer } from "./wholeAnswer.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"
import { errorIn } from "../protocols/errorWords.ts"
import { tellingWhole } from "../protocols/toldCost.ts"
import type { BytesPlace, ChunkedPlace, Lowered, Places, WholePlace } from "../protocols/Protocol.ts"
import { bodyOf, isSuccess, refusalError } from "../calls/refusalError.ts"
import type { PassthroughEndpoint, GenerateOptions, PassthroughRequest } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import { formBody } from "../calls/formBody.ts"
import { serializeBody } from "../calls/serializeBody.ts"
import { notLost } from "../text/unsendable.ts"
import { images } from "./images.ts"
import { rerank } from "./rerank.ts"
import { soundReader } from "./sound.ts"
import { transcriptReader } from "./transcripts.ts"

interface Options extends EndpointOptions, Pick<TextUpstreamOptions, "tellsCost"> {
  readonly deadlines: Deadlines
}

/** The readers of each family whose answers are of any media type. */
const readers = {
  speech: soundReader,
  transcriptions: transcriptReader,
  translations: transcriptReader
} as const satisfies Readonly<Record<BytesFamily, (request: PassthroughRequest, headers: Headers) => Reader>>

/** The answers of each family that has whole ones. */
const answers: Readonly<Record<WholeFamily, WholeAnswer>> = {
  embeddings,
  rerank,
  moderations,
  images,
  edits: images,
  variations: images,
  compactions: compaction
}

/** An upstream's endpoints beside that of its dialect: requests and answers pass through, or change their form. */
export const besideEndpoints = (
  places: Places,
  endpoint: Endpoint,
  options: Options
): Readonly<Partial<Record<BesideFamily, PassthroughEndpoint>>> =>
  Struct.keys(places).reduce<Partial<Record<BesideFamily, PassthroughEndpoint>>>((all, family) => {
    const place = places[family]
    if (place === undefined) return all
    if ("read" in place) return { ...all, [family]: chunkedEndpoint(family, place, endpoint, options) }
    if (isBytes(family)) return { ...all, [family]: bytesEndpoint(family, place, endpoint, options) }
    return isWhole(family) ? { ...all, [family]: wholeEndpoint(family, place, endpoint, options) } : all
  }, {})

const wholeEndpoint = (
  family: WholeFamily,
  place: WholePlace,
  endpoint: Endpoint,
  options: Options
): PassthroughEndpoint => {
  const answer = options.tellsCost === true ? tellingWhole(answers[family]) : answers[family]
  const { form, serves } = place
  const ask = asking(family, place, endpoint, options, {
    lower: ({ body }, { upstreamModel: model }) => {
      const named = { ...body, model }
      return form === undefined ? { body: named, adapted: [] } : form.lower(named)
    },
    read: (request) => wholeAnswer(request, answer, form?.raise)
  })
  if (answer.isOptional === true) return { family, send: orOtherwise(ask, new Absences()) }
  const takesForms = form !== undefined && familyOf(family).forms !== undefined
  return {
    family,
    ...(serves && { serves: (model, knownAs) => serves(knownAs ?? model) }),
    send: (request, how) => (takesForms ? withoutFiles(ask, request, how) : ask(request, how))
  }
}

/** Reads a form's files for a dialect that has none. */
const withoutFiles = (ask: Ask, request: PassthroughRequest, how: GenerateOptions): Call => {
  const reading = withDataUrls(request.body)
  if (reading === undefined) return ask(request, how)
  const sends = how.attempt?.prepares()
  return runFuture(how.runtime, reading).flatMap((body) => {
    sends?.()
    return ask({ ...request, body }, how)
  })
}

const bytesEndpoint = (
  family: BytesFamily,
  { path }: BytesPlace,
  endpoint: Endpoint,
  options: Options
): PassthroughEndpoint => {
  const ask = asking(family, { path }, endpoint, options, {
    lower: ({ body }, { upstreamModel: model }) => ({ body: { ...body, model }, adapted: [] }),
    read: (request, _, headers) => readers[family](request, headers)
  })
  return { family, send: (request, how) => ask(request, how) }
}

/** Servers may lack it, so that another endpoint answers in its place. */
const chunkedEndpoint = (
  family: BesideFamily,
  { body: sent, path, read, serves }: ChunkedPlace,
  endpoint: Endpoint,
  options: Options
): PassthroughEndpoint => {
  const ask = asking(family, { path }, endpoint, options, {
    lower: ({ body }, how) => ({ body: sent(body, how), adapted: [] }),
    read: (request, { stream }) => read(request, stream, options.tellsCost === true)
  })
  const absences = new Absences()
  return {
    family,
    serves: (model, knownAs) => serves(knownAs ?? model) && !absences.has(model),
    send: orOtherwise(ask, absences)
  }
}

/** How long a model's absence at an endpoint is remembered, in ms, and of how many models. */
const absentMs = 600_000
const mostAbsences = 1_000

/** The models that an endpoint has told it lacks. */
class Absences {
  readonly #until = new Map<string, number>()

  has(model: string): boolean {
    return performance.now() < (this.#until.get(model) ?? -Infinity)
  }

  add(model: string): void {
    const [oldest] = this.#until.keys()
    if (this.#until.size >= mostAbsences && oldest !== undefined) this.#until.delete(oldest)
    this.#until.set(model, performance.now() + absentMs)
  }
}

/** Asks an endpoint that not every server offers for every model. An absence is remembered for a while. */
const orOtherwise =
  (ask: Ask, absences: Absences): Send =>
  (request, callOptions, otherwise) => {
    const { runtime, upstreamModel } = callOptions
    if (absences.has(upstreamModel)) return otherwise()
    return ask(request, callOptions, (exchange) => {
      if (![404, 405, 501].includes(exchange.status)) return undefined
      return runFuture(runtime, bodyOf(exchange)).flatMap((body) => {
        if (!namesPart(parseJson(body))) absences.add(upstreamModel)
        return otherwise()
      })
    })
  }

/** True if a 404 concerns something that the request names, not the path: the next request may succeed. */
const namesPart = (body: unknown): boolean => {
  const error = errorIn(body)
  return textAt(error, "param") !== undefined || textAt(error, "code")?.endsWith("_not_found") === true
}

type Send = PassthroughEndpoint["send"]
type Ask = ReturnType<typeof asking>
type Call = Future<Generation, Failure | UpstreamError>

interface Dealing {
  /** The request as the endpoint takes it, or the reason that it cannot be sent. */
  readonly lower: (
    request: PassthroughRequest,
    options: GenerateOptions
  ) => Pick<Lowered, "body" | "adapted"> | InvalidRequest
  readonly read: (request: PassthroughRequest, options: GenerateOptions, headers: Headers) => Reader
}

/** Sends a body with the upstream's model name. If it is refused, the fallback may run. */
const asking = (
  family: BesideFamily,
  { baseUrl: own, path }: Pick<WholePlace, "baseUrl" | "path">,
  endpoint: Endpoint,
  options: Options,
  { lower, read }: Dealing
) => {
  const { forms } = familyOf(family)
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
    const lowered = lower(request, callOptions)
    if (lowered instanceof InvalidRequest) return Future.fail(lowered)
    const adapted = [...(request.adapted ?? []), ...lowered.adapted]
    const problem = notLost(adapted, callOptions)
    if (problem !== undefined) return Future.fail(problem)
    const { body: changed, url: at } = placed({ body: lowered.body, headers: undefined })
    const body = serializeBody(request, changed)
    const form = forms !== undefined && hasFiles(changed) ? formBody(changed) : undefined
    return beginCall({
      url: at,
      headers: headersTo(endpoint, options, callOptions.trace),
      body: form ?? body,
      deadlines: withOwn(deadlines, callOptions.deadlines),
      attempt: callOptions.attempt,
      ...connectionOf(options)
    }).flatMap((exchange): Call => {
      if (isSuccess(exchange)) {
        const reader = read(request, callOptions, exchange.headers)
        const { replyHeaders } = reader
        const answer = new Answer(reader, exchange, {
          passthrough: true,
          adapted,
          secrets,
          ...(replyHeaders !== undefined && { replyHeaders })
        })
        return acceptAnswer(answer, exchange, callOptions)
      }
      return (
        instead?.(exchange) ??
        runFuture(callOptions.runtime, refusalError({ exchange, options, url, sent: body, isPassthrough: true }))
      )
    })
  }
}

/** True for a body that came as a form with files. */
const hasFiles = (body: JsonObject): boolean =>
  Object.values(body).some((value) => [value].flat().some((one) => one instanceof UploadedFile))
