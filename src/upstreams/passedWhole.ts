import type { EndpointPath } from "../config/baseUrl.ts"
import type { Failure } from "../contract/Failure.ts"
import { parseJson, textAt } from "../contract/json.ts"
import { begin } from "../flow/begin.ts"
import type { Begun } from "../flow/Begun.ts"
import type { Generation } from "../generation/Generation.ts"
import { accepting } from "./accepting.ts"
import { beginCall } from "./client.ts"
import type { Deadlines, Exchange } from "./client.ts"
import { addressOf, headersTo, secretsOf } from "./Endpoint.ts"
import type { Endpoint, EndpointOptions } from "./Endpoint.ts"
import { Answer } from "./generationOf.ts"
import type { Reader } from "./generationOf.ts"
import { forwardedCompaction } from "./native/compaction.ts"
import { forwardedEmbeddings } from "./native/embeddings.ts"
import { errorIn } from "./protocols/errorMeaning.ts"
import { bodyOf, isSuccess, refused } from "./refused.ts"
import type { Forwarder, GenerateOptions, NativeRequest } from "./Upstream.ts"
import type { UpstreamError } from "./UpstreamError.ts"
import { writtenFrom } from "./writtenFrom.ts"

interface Options extends EndpointOptions {
  readonly deadlines: Deadlines
}

/** A place where vectors are made of texts: its requests and answers pass through. */
export const embedding = (path: EndpointPath, endpoint: Endpoint, options: Options): Forwarder => {
  const ask = asking(path, endpoint, options, forwardedEmbeddings)
  return { family: "embeddings", forward: (request, how) => ask(request, how) }
}

/** Once it was not offered, it is asked for again after this long, in ms. */
const absentMs = 600_000

/** A place where conversations are made short. Servers that don't offer it are remembered for a while. */
export const compacting = (path: EndpointPath, endpoint: Endpoint, options: Options): Forwarder => {
  const ask = asking(path, endpoint, options, forwardedCompaction)
  let absentUntil = -Infinity
  return {
    family: "compactions",
    forward: (request, how, otherwise) => {
      if (performance.now() < absentUntil) return otherwise()
      return ask(request, how, (exchange) => {
        if (![404, 405, 501].includes(exchange.status)) return undefined
        return begin(how.runtime, bodyOf(exchange)).flatMap((body) => {
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

type Asked = Begun<Generation, Failure | UpstreamError>

/** Sends a body on as it is, but for the model's name. What is refused may be made another way. */
const asking = (path: EndpointPath, endpoint: Endpoint, options: Options, read: (request: NativeRequest) => Reader) => {
  const url = addressOf(endpoint, options.baseUrl, path)
  const secrets = secretsOf(options, url)
  const { deadlines } = options
  return (request: NativeRequest, how: GenerateOptions, instead?: (exchange: Exchange) => Asked | undefined): Asked => {
    const body = writtenFrom(request, { ...request.body, model: how.upstreamModel })
    return beginCall({ url, headers: headersTo(endpoint, options, how.trace), body, deadlines }).flatMap(
      (exchange): Asked => {
        if (isSuccess(exchange)) {
          return accepting(new Answer(read(request), exchange, { native: true }), exchange, secrets, how)
        }
        return instead?.(exchange) ?? begin(how.runtime, refused({ exchange, options, url, sent: body, native: true }))
      }
    )
  }
}
