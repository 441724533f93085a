import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ChatApi } from "./Api.ts"
import { makeChatFamily } from "./chatFamily.ts"

export const ChatHandlers = handlers(
  ChatApi,
  Effect.map(Effect.all([Pipeline, makeChatFamily]), ([{ answer }, family]) => ({ create: answer(family) }))
)
