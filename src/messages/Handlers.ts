import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { MessagesApi } from "./Api.ts"
import { AsyncMessages, isAsync } from "./async/AsyncMessages.ts"
import { TasksHandlers } from "./async/Handlers.ts"
import { makeCountTokens } from "./countTokens.ts"
import { makeMessageFamily } from "./messageFamily.ts"
import { ThreadExpiry } from "./threads/ThreadExpiry.ts"
import { ThreadsLive } from "./threads/ThreadsLive.ts"

const MessagesHandlers = handlers(
  MessagesApi,
  Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const answer = pipeline.answer(yield* makeMessageFamily)
    const { accept } = yield* AsyncMessages
    const countTokens = yield* makeCountTokens
    return {
      create: (input) => (isAsync(input.payload) ? accept(input) : answer(input)),
      countTokens: ({ caller, payload, request }) => countTokens(caller, payload, request)
    }
  })
)

/** Serves messages, now and later, and removes expired threads. */
export const MessagesLive = Layer.mergeAll(MessagesHandlers, TasksHandlers).pipe(
  Layer.provide(Layer.mergeAll(AsyncMessages.Default, ThreadExpiry).pipe(Layer.provideMerge(ThreadsLive)))
)
