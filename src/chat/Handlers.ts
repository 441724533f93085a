import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ChatApi } from "./Api.ts"
import { ChatCompletions } from "./ChatCompletions.ts"

export const ChatHandlers = handlers(
  ChatApi,
  Effect.map(ChatCompletions, (completions) => ({
    create: ({ caller, payload, request }) => completions.create(caller, payload, request)
  }))
)
