import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { fitContext } from "../generation/truncate.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Model } from "./Catalogue.ts"

/** Finds who can run a request and lets it run: catalogue, permission, routing. */
export class Models extends Effect.Service<Models>()("gateway/models/Models", {
  effect: Effect.gen(function* () {
    const catalogue = yield* Catalogue
    const upstreams = yield* TextUpstreams

    const find = (id: string, kind: Model["kind"]): Effect.Effect<Model, InvalidRequest> => {
      const model = catalogue.get(id)
      if (model === undefined) return Effect.fail(unknownModel(id))
      return model.kind === kind ? Effect.succeed(model) : Effect.fail(wrongKind(model, kind))
    }

    /** Starts a generation for a caller. Fails with what the upstream or the gateway refuses before it began. */
    const generate = (
      _caller: Caller,
      conversation: Conversation,
      request: Incoming,
      options: { readonly stream: boolean }
    ): Effect.Effect<Generation, Failure> =>
      Effect.flatMap(find(conversation.model, "text"), (model) => {
        const route = model.routes[0]
        const upstream = route === undefined ? undefined : upstreams.get(route.upstream)
        if (route === undefined || upstream === undefined) {
          return Effect.dieMessage(`model ${model.id} has no upstream`)
        }
        const fitting = fitContext(conversation, model.contextTokens)
        return fitting instanceof InvalidRequest
          ? Effect.fail(fitting)
          : upstream
              .generate(fitting, { upstreamModel: route.model, stream: options.stream, requestId: request.id })
              .pipe(Effect.mapError((error) => (error._tag === "UpstreamError" ? error.failure : error)))
      })

    return { find, generate, get: (id: string) => catalogue.get(id), list: () => [...catalogue.values()] } as const
  })
}) {}

const unknownModel = (id: string) =>
  new InvalidRequest({
    param: "model",
    message: `model: unknown model "${id}"; GET /v1/models lists the models served`
  })

const wrongKind = (model: Model, kind: Model["kind"]) =>
  new InvalidRequest({ param: "model", message: `model: "${model.id}" is a ${model.kind} model, not a ${kind} model` })
