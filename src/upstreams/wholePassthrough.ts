import type { EndpointPath } from "../config/baseUrl.ts"
import type { Failure } from "../contract/Failure.ts"
import { parseJson, textAt } from "../contract/json.ts"
import { runFuture } from "../flow/runFuture.ts"
import type { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import { accepting } from "./accepting.ts"
import { beginCall } from "./client.ts"
import type { Deadlines, Exchange } from "./client.ts"
import { addressOf, headersTo, secretsOf } from "./Endpoint.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { Answer } from "./generationOf.ts"
import type { Reader } from "./generationOf.ts"
import { passthroughCompaction } from "./passthrough/compaction.ts"
import { passthroughEmbeddings } from "./passthrough/embeddings.ts"
import { errorIn } from "./protocols/errorMeaning.ts"
import { bodyOf, isSuccess, refused } from "./refused.ts"
import type { PassthroughEndpoint, GenerateOptions, PassthroughRequest } from "./Upstream.ts"
import type { UpstreamError } from "./UpstreamError.ts"
import { serializeBody } from "./serializeBody.ts"

interface Options extends EndpointOptions {
  readonly deadlines: Deadlines
}

/** A place where vectors are made of texts: its requests and answers pass through. */
export const embedding = (path: EndpointPath, endpoint: Endpoint, options: Options): PassthroughEndpoint => {
  const ask = asking(path, endpoint, options, passthroughEmbeddings)
  return { family: "embeddings", send: (request, how) => ask(request, how) }
}

/** Once it was not offered, it is asked for again after this long, in ms. */
const absentMs = 600_000

/** A place where conversations are made short. Servers that don't offer it are remembered for a while. */
export const compacting = (path: EndpointPath, endpoint: Endpoint, options: Options): PassthroughEndpoint => {
  const ask = asking(path, endpoint, options, passthroughCompaction)
  let absentUntil = -Infinity
  return {
    family: "compactions",
    send: (request, how, otherwise) => {
      if (performance.now() < absentUntil) return otherwise()
      return ask(request, how, (exchange) => {
        if (![404, 405, 501].includes(exchange.status)) return undefined
        return runFuture(how.runtime, bodyOf(exchange)).flatMap((body) => {
          if (!namesPart(parseJson(body))) absentUntil = performance.now() + absentMs
          return otherwise()
        })
      })
    }
  }
}

/** Whether a 404 is about something that the request names, and not about the path: the next request may be well. */
const namesPart = (body: unknown): boolean => {
  const error = errorIn(body)
  return textAt(error, "param") !== undefined || textAt(error, "code")?.endsWith("_not_found") === true
}

type Asked = Future<Generation, Failure | UpstreamError>

/** Sends a body on as it is, but for the model's name. What is refused may be made another way. */
const asking = (
  path: EndpointPath,
  endpoint: Endpoint,
  options: Options,
  read: (request: PassthroughRequest) => Reader
) => {
  const url = addressOf(endpoint, options.baseUrl, path)
  const secrets = secretsOf(options, url)
  const { deadlines } = options
  return (
    request: PassthroughRequest,
    how: GenerateOptions,
    instead?: (exchange: Exchange) => Asked | undefined
  ): Asked => {
    const body = serializeBody(request, { ...request.body, model: how.upstreamModel })
    return beginCall({ url, headers: headersTo(endpoint, options, how.trace), body, deadlines }).flatMap(
      (exchange): Asked => {
        if (isSuccess(exchange)) {
          return accepting(new Answer(read(request), exchange, { passthrough: true }), exchange, secrets, how)
        }
        return (
          instead?.(exchange) ?? runFuture(how.runtime, refused({ exchange, options, url, sent: body, native: true }))
        )
      }
    )
  }
}
