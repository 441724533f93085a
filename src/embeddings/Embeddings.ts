import { Effect } from "effect"
import { folded } from "../answering/answer.ts"
import { jsonResponse, nativeMachine } from "../answering/native.ts"
import type { Caller } from "../contract/Caller.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Begun } from "../flow/Begun.ts"
import { Models } from "../models/Models.ts"
import { decode } from "./decode.ts"
import type { CreateEmbeddings } from "./Request.ts"

/** Vectors of texts: passed through to upstreams that make them, and paid for by their input. */
export class Embeddings extends Effect.Service<Embeddings>()("gateway/embeddings/Embeddings", {
  effect: Effect.gen(function* () {
    const models = yield* Models

    const create = (caller: Caller, payload: CreateEmbeddings, request: Incoming): Begun<Response, Failure> => {
      const conversation = decode(payload)
      if (conversation instanceof InvalidRequest) return Begun.fail(conversation)
      return models
        .generate(caller, conversation, request, {
          stream: false,
          kind: "embedding",
          objection,
          verbatim: {
            family: "embeddings",
            request: () => ({
              body: isObject(request.body) ? request.body : payload,
              bodyText: request.bodyText,
              headers: request.headers,
              rewrite: (answer) => ({ ...answer, model: payload.model })
            })
          }
        })
        .flatMap((generation) => folded({ generation, machine: nativeMachine(() => []) }))
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
