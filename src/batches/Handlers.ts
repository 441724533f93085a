import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { ThreadsLive } from "../messages/threads/ThreadsLive.ts"
import { BatchExpiry } from "./BatchExpiry.ts"
import { LineRunnerLive } from "./LineRunner.ts"
import { makeLinesStream } from "./linesStream.ts"
import { MessageBatchesApi } from "./messages/Api.ts"
import { makeMessageBatches } from "./messages/MessageBatches.ts"
import { resultLine } from "./messages/messageBatch.ts"
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

/** Batches and their lines, for what runs them and for what serves them. */
export const BatchStores = Layer.merge(BatchStore.Default, LineStore.Default)

/** Serves batches, runs their lines, and removes expired ones. */
export const BatchesLive = Layer.mergeAll(MessageBatchesHandlers, LineRunnerLive, BatchExpiry).pipe(
  Layer.provide(Layer.merge(BatchStores, ThreadsLive))
)
