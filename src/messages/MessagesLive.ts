import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { Messages } from "./Messages.ts"
import { ThreadRetention, TurnStore } from "./threads/store/TurnStore.ts"
import { Threads } from "./threads/Threads.ts"

/** Conversations are kept as long as responses, by whichever family they came. */
export const ThreadsLive = Threads.Default.pipe(
  Layer.provideMerge(TurnStore.Default),
  Layer.provide(
    Layer.effect(
      ThreadRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

/** Messages, and the threads that continue them. */
export const MessagesLive = Layer.provideMerge(Messages.Default, ThreadsLive)
