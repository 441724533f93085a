import { Effect } from "effect"
import { fold } from "../pipeline/fold.ts"
import { jsonResponse, passthroughMachine } from "../pipeline/passthrough.ts"
import type { Caller } from "../contract/Caller.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Future } from "../flow/Future.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { decode } from "./decode.ts"
import type { CreateEmbeddings } from "./Request.ts"

/** Vectors of texts: passed through to upstreams that make them, and paid for by their input. */
export class Embeddings extends Effect.Service<Embeddings>()("gateway/embeddings/Embeddings", {
  effect: Effect.gen(function* () {
    const models = yield* Dispatch

    const create = (caller: Caller, payload: CreateEmbeddings, request: Incoming): Future<Response, Failure> => {
      const conversation = decode(payload)
      if (conversation instanceof InvalidRequest) return Future.fail(conversation)
      return models
        .generate(caller, conversation, request, {
          stream: false,
          kind: "embedding",
          objection,
          passthrough: {
            family: "embeddings",
            request: () => ({
              body: isObject(request.body) ? request.body : payload,
              bodyText: request.bodyText,
              headers: request.headers,
              rewrite: (answer) => ({ ...answer, model: payload.model })
            })
          }
        })
        .flatMap((generation) => fold({ generation, machine: passthroughMachine(() => []) }))
        .map(({ terminal }) => jsonResponse(terminal, request))
    }

    return { create } as const
  })
}) {}

/** What an upstream that makes no vectors can't be asked for. */
export const objection = () =>
  new InvalidRequest({
    param: "model",
    message: "model: none of this model's upstreams makes embeddings"
  })
