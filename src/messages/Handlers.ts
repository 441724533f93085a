import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { MessagesApi } from "./Api.ts"
import { AsyncMessages, isAsync } from "./async/AsyncMessages.ts"
import { Messages } from "./Messages.ts"

export const MessagesHandlers = handlers(
  MessagesApi,
  Effect.gen(function* () {
    const messages = yield* Messages
    const asyncMessages = yield* AsyncMessages
    return {
      create: ({ caller, payload, request }) =>
        (isAsync(payload) ? asyncMessages.accept : messages.create)(caller, payload, request),
      countTokens: ({ caller, payload, request }) => messages.countTokens(caller, payload, request)
    }
  })
)
