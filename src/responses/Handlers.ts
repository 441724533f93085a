import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { countTokens } from "../generation/tokens.ts"
import { Models } from "../models/Models.ts"
import { ResponsesApi } from "./Api.ts"
import { createResponse, replayFor } from "./create.ts"
import { decode } from "./decode.ts"
import { inputPage, read } from "./read.ts"
import { ResponseStore } from "./ResponseStore.ts"

export const ResponsesHandlers = handlers(
  ResponsesApi,
  Effect.gen(function* () {
    const models = yield* Models
    const store = yield* ResponseStore
    return {
      create: createResponse({ models, store }),
      find: ({ caller, path, urlParams }) =>
        Effect.map(store.find(caller.account, path.id), (stored) => read(stored, urlParams)),
      remove: ({ caller, path }) =>
        Effect.as(store.remove(caller.account, path.id), {
          id: path.id,
          object: "response" as const,
          deleted: true as const
        }),
      cancel: ({ caller, path }) => Effect.zipRight(store.find(caller.account, path.id), Effect.fail(notInBackground)),
      inputItems: ({ caller, path, urlParams }) =>
        Effect.flatMap(store.find(caller.account, path.id), (stored) => {
          const page = inputPage(stored, urlParams)
          return page instanceof InvalidRequest ? Effect.fail(page) : Effect.succeed(page)
        }),
      inputTokens: ({ caller, payload }) => {
        const request = { ...payload, input: payload.input ?? [] }
        return Effect.flatMap(replayFor(store, caller, request), (replay) => {
          const decoded = decode(request, replay)
          return decoded instanceof InvalidRequest
            ? Effect.fail(decoded)
            : Effect.as(models.find(payload.model, "text"), {
                object: "response.input_tokens" as const,
                input_tokens: countTokens(decoded.conversation)
              })
        })
      }
    }
  })
)

const notInBackground = new InvalidRequest({
  param: null,
  message: "Only a response that runs in the background can be cancelled; this one has ended."
})
