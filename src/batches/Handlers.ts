import { Effect, Layer } from "effect"
import { StoredCompletionsLive } from "../chat/Handlers.ts"
import { handlers } from "../contract/handlers.ts"
import { ThreadsLive } from "../messages/threads/ThreadsLive.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { StoredResponsesLive } from "../responses/ResponsesLive.ts"
import { BatchExpiry } from "./BatchExpiry.ts"
import { LineRunnerLive } from "./LineRunner.ts"
import { makeLinesStream } from "./linesStream.ts"
import { MessageBatchesApi } from "./messages/Api.ts"
import { makeMessageBatches } from "./messages/MessageBatches.ts"
import { resultLine } from "./messages/messageBatch.ts"
import { BatchesApi } from "./openai/Api.ts"
import { makeOpenAIBatches } from "./openai/OpenAIBatches.ts"
import { BatchStore } from "./store/BatchStore.ts"
import { LineStore } from "./store/LineStore.ts"

const MessageBatchesHandlers = handlers(
  MessageBatchesApi,
  Effect.gen(function* () {
    const batches = yield* makeMessageBatches
    const linesOf = yield* makeLinesStream
    return {
      create: ({ caller, request }) => batches.create(caller, request),
      list: ({ caller, urlParams }) => batches.list(caller, urlParams),
      find: ({ caller, path }) => batches.find(caller, path.id),
      cancel: ({ caller, path }) => batches.cancel(caller, path.id),
      remove: ({ caller, path }) => batches.remove(caller, path.id),
      results: ({ caller, path }) =>
        Effect.map(
          batches.results(caller, path.id),
          ({ id }) => new Response(linesOf(id, resultLine), { headers: { "content-type": "application/x-jsonl" } })
        )
    }
  })
)

const BatchesHandlers = handlers(
  BatchesApi,
  Effect.map(makeOpenAIBatches, (batches) => ({
    create: ({ caller, payload, request }) => batches.create(caller, payload, request),
    list: ({ caller, urlParams }) => batches.list(caller, urlParams),
    find: ({ caller, path }) => batches.find(caller, path.id),
    cancel: ({ caller, path }) => batches.cancel(caller, path.id)
  }))
)

const BatchStores = Layer.merge(BatchStore.Default, LineStore.Default)

/** The stores of batches, and those of the families whose requests are lines. */
export const LineFamiliesNeed = Layer.mergeAll(
  BatchStores,
  ThreadsLive,
  StoredResponsesLive,
  StoredCompletionsLive,
  ReasoningSignatures.Default
)

/** Serves batches, runs their lines, and removes expired ones. */
export const BatchesLive = Layer.mergeAll(MessageBatchesHandlers, BatchesHandlers, LineRunnerLive, BatchExpiry).pipe(
  Layer.provide(LineFamiliesNeed)
)
