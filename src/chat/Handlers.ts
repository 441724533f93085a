import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { handlers } from "../contract/handlers.ts"
import { ReasoningSignatureExpiry } from "../ownership/ReasoningSignatureExpiry.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ChatApi } from "./Api.ts"
import { makeChatFamily } from "./chatFamily.ts"
import { CompletionsApi } from "./completions/Api.ts"
import { completionsFamily } from "./completions/completionsFamily.ts"
import { CompletionExpiry } from "./stored/CompletionExpiry.ts"
import { messagePage, metadataIn, pageOf, shown } from "./stored/storedHandlers.ts"
import { CompletionRetention, StoredCompletions } from "./store/StoredCompletions.ts"

const ChatHandlers = handlers(
  ChatApi,
  Effect.gen(function* () {
    const { answer } = yield* Pipeline
    const family = yield* makeChatFamily
    const store = yield* StoredCompletions
    return {
      create: answer(family),
      list: ({ caller, urlParams }) => {
        const { after, limit = 20, model, order = "asc" } = urlParams
        const query = { after, limit, model, order, metadata: metadataIn(urlParams) }
        return Effect.map(store.list(caller, query), ({ completions, hasMore }) =>
          pageOf(completions.map(shown), hasMore)
        )
      },
      find: ({ caller, path }) => Effect.map(store.find(caller, path.id), shown),
      update: ({ caller, path, payload }) => Effect.map(store.update(caller, path.id, payload.metadata ?? {}), shown),
      remove: ({ caller, path: { id } }) =>
        Effect.as(store.remove(caller, id), {
          id,
          object: "chat.completion.deleted" as const,
          deleted: true as const
        }),
      messages: ({ caller, path: { id }, urlParams }) =>
        Effect.flatMap(store.messages(caller, id), (found) => messagePage(id, found, urlParams))
    }
  })
)

const CompletionsHandlers = handlers(
  CompletionsApi,
  Effect.map(Pipeline, ({ answer }) => ({ create: answer(completionsFamily) }))
)

/** Stored completions, with the retention of the settings. */
export const StoredCompletionsLive = StoredCompletions.Default.pipe(
  Layer.provide(
    Layer.effect(
      CompletionRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

/** Serves completions of chats and of texts, and removes expired ones and signatures. */
export const ChatLive = Layer.mergeAll(
  ChatHandlers,
  CompletionsHandlers,
  CompletionExpiry,
  ReasoningSignatureExpiry
).pipe(Layer.provide(StoredCompletionsLive), Layer.provide(ReasoningSignatures.Default))
