import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ResponsesApi } from "./Api.ts"
import { BackgroundResponses, isBackground } from "./background/BackgroundResponses.ts"
import { makeCompact } from "./compact/compact.ts"
import { makeInputTokens } from "./inputTokens.ts"
import { inputPage } from "./read.ts"
import { makeResponseFamily } from "./responseFamily.ts"
import { ResponseStore } from "./store/ResponseStore.ts"

export const ResponsesHandlers = handlers(
  ResponsesApi,
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const answer = pipeline.answer(yield* makeResponseFamily)
    const store = yield* ResponseStore
    const background = yield* BackgroundResponses
    const compact = yield* makeCompact
    const inputTokens = yield* makeInputTokens
    return {
      create: (input) =>
        isBackground(input.payload) ? background.accept(input.caller, input.payload, input.request) : answer(input),
      find: ({ caller, path, request, urlParams }) => background.find(caller, path.id, urlParams, request),
      remove: ({ caller, path }) => background.remove(caller, path.id),
      cancel: ({ caller, path }) => background.cancel(caller, path.id),
      inputItems: ({ caller, path, urlParams }) =>
        Effect.flatMap(store.find(caller, path.id), (stored) => inputPage(stored, urlParams)),
      compact,
      inputTokens: ({ caller, payload, request }) => inputTokens(caller, payload, request)
    }
  })
)
