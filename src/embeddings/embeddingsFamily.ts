import { isJsonObject as isObject } from "../contract/fields.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { jsonResponse, passthroughMachine } from "../pipeline/passthrough.ts"
import type { PassthroughState } from "../pipeline/passthrough.ts"
import type { Encoding, TextFamily } from "../pipeline/TextFamily.ts"
import { decode } from "./decode.ts"
import type { CreateEmbeddings } from "./Request.ts"
import { inFormat } from "./vectors.ts"

/** Embeddings for `Pipeline`: passthrough only, charged by input. */
export const embeddingsFamily: TextFamily<CreateEmbeddings, never, PassthroughState, PassthroughState, Response> = {
  dialect: "embeddings",
  kind: "embedding",
  heartbeat: "",
  understand: ({ payload, request }) => {
    const conversation = decode(payload)
    if (conversation instanceof InvalidRequest) return conversation
    const passed = (): Encoding<PassthroughState, Response> => ({
      machine,
      answer: ({ terminal }) => jsonResponse(terminal, request)
    })
    const body = isObject(request.body) ? request.body : {}
    return {
      conversation,
      stream: false,
      objection,
      passthrough: () => ({
        body,
        bodyText: request.bodyText,
        headers: request.headers,
        rewrite: (answer) => ({ ...inFormat(answer, body), model: payload.model })
      }),
      // Never used: `objection` refuses every other route.
      translated: passed,
      passed
    }
  }
}

const machine = passthroughMachine(() => [])

const objection = () =>
  new InvalidRequest({
    param: "model",
    message: "model: none of this model's upstreams makes embeddings"
  })
