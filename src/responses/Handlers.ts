import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ResponsesApi } from "./Api.ts"
import { BackgroundResponses, isBackground } from "./background/BackgroundResponses.ts"
import { Compactions } from "./compact/Compactions.ts"
import { Responses } from "./Responses.ts"

export const ResponsesHandlers = handlers(
  ResponsesApi,
  Effect.gen(function* () {
    const responses = yield* Responses
    const background = yield* BackgroundResponses
    const compactions = yield* Compactions
    return {
      create: ({ caller, payload, request }) =>
        (isBackground(payload) ? background.accept : responses.create)(caller, payload, request),
      find: ({ caller, path, request, urlParams }) => background.find(caller.account, path.id, urlParams, request),
      remove: ({ caller, path }) => background.remove(caller.account, path.id),
      cancel: ({ caller, path }) => background.cancel(caller.account, path.id),
      inputItems: ({ caller, path, urlParams }) => responses.inputItems(caller.account, path.id, urlParams),
      compact: ({ caller, payload, request }) => compactions.compact(caller, payload, request),
      inputTokens: ({ caller, payload, request }) => responses.inputTokens(caller.account, payload, request.body)
    }
  })
)
