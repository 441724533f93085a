import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ReasoningSignatureExpiry } from "../ownership/ReasoningSignatureExpiry.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ChatApi } from "./Api.ts"
import { makeChatFamily } from "./chatFamily.ts"
import { CompletionsApi } from "./completions/Api.ts"
import { completionsFamily } from "./completions/completionsFamily.ts"

const ChatHandlers = handlers(
  ChatApi,
  Effect.map(Effect.all([Pipeline, makeChatFamily]), ([{ answer }, family]) => ({ create: answer(family) }))
)

const CompletionsHandlers = handlers(
  CompletionsApi,
  Effect.map(Pipeline, ({ answer }) => ({ create: answer(completionsFamily) }))
)

/** Serves completions of chats and of texts, and removes expired signatures. */
export const ChatLive = Layer.mergeAll(ChatHandlers, CompletionsHandlers, ReasoningSignatureExpiry).pipe(
  Layer.provide(ReasoningSignatures.Default)
)
