import type { EndpointPath } from "../config/baseUrl.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { parseJson, textAt } from "../contract/json.ts"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import { accepting } from "./accepting.ts"
import { beginCall, withOwn } from "./client.ts"
import type { Deadlines } from "./client.ts"
import type { Exchange } from "./Exchange.ts"
import { addressOf, connectionOf, headersTo, placing, secretsAt } from "./Endpoint.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { Answer } from "./generationOf.ts"
import type { Reader } from "./generationOf.ts"
import { passthroughCompaction } from "./passthrough/compaction.ts"
import { passthroughEmbeddings } from "./passthrough/embeddings.ts"
import { errorIn } from "./protocols/errorWords.ts"
import type { EmbeddingForm } from "./protocols/Protocol.ts"
import { bodyOf, isSuccess, refused } from "./refused.ts"
import type { PassthroughEndpoint, GenerateOptions, PassthroughRequest } from "./Upstream.ts"
import type { UpstreamError } from "./UpstreamError.ts"
import { serializeBody } from "./serializeBody.ts"
import { notLost } from "./unsendable.ts"

interface Options extends EndpointOptions {
  readonly deadlines: Deadlines
}

/** An upstream's embeddings endpoint: requests and answers pass through, or change their form. */
export const embedding = (
  path: EndpointPath,
  endpoint: Endpoint,
  options: Options,
  form?: EmbeddingForm
): PassthroughEndpoint => {
  const ask = asking(path, endpoint, options, (request) => passthroughEmbeddings(request, form?.raise), form?.lower)
  return { family: "embeddings", send: (request, callOptions) => ask(request, callOptions) }
}

/** How long an upstream without the endpoint is not asked again, in ms. */
const absentMs = 600_000

/** An upstream's compaction endpoint. A server that does not offer it is remembered for a while. */
export const compacting = (path: EndpointPath, endpoint: Endpoint, options: Options): PassthroughEndpoint => {
  const ask = asking(path, endpoint, options, passthroughCompaction)
  let absentUntil = -Infinity
  return {
    family: "compactions",
    send: (request, callOptions, otherwise) => {
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
}

/** True if a 404 concerns something that the request names, not the path: the next request may succeed. */
const namesPart = (body: unknown): boolean => {
  const error = errorIn(body)
  return textAt(error, "param") !== undefined || textAt(error, "code")?.endsWith("_not_found") === true
}

type Call = Future<Generation, Failure | UpstreamError>

/** Sends a body with the upstream's model name. If it is refused, the fallback may run. */
const asking = (
  path: EndpointPath,
  endpoint: Endpoint,
  options: Options,
  read: (request: PassthroughRequest) => Reader,
  lower: EmbeddingForm["lower"] = (body) => ({ body, adapted: [] })
) => {
  const url = addressOf(endpoint, options.baseUrl, path)
  const secrets = secretsAt(options, url)
  const { deadlines } = options
  const placed = placing(endpoint, options.baseUrl, path)
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
        return accepting(
          new Answer(read(request), exchange, { passthrough: true, adapted, secrets }),
          exchange,
          callOptions
        )
      }
      return (
        instead?.(exchange) ??
        runFuture(callOptions.runtime, refused({ exchange, options, url, sent: body, isPassthrough: true }))
      )
    })
  }
}
