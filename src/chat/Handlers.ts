import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ReasoningSignatureExpiry } from "../ownership/ReasoningSignatureExpiry.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ChatApi } from "./Api.ts"
import { makeChatFamily } from "./chatFamily.ts"

const ChatHandlers = handlers(
  ChatApi,
  Effect.map(Effect.all([Pipeline, makeChatFamily]), ([{ answer }, family]) => ({ create: answer(family) }))
)

/** Serves chat completions and removes expired signatures. */
export const ChatLive = Layer.merge(ChatHandlers, ReasoningSignatureExpiry).pipe(
  Layer.provide(ReasoningSignatures.Default)
)
