import { Effect, Layer } from "effect"
import { Settings } from "../../config/Settings.ts"
import { ThreadRetention, TurnStore } from "./store/TurnStore.ts"
import { Threads } from "./Threads.ts"

/** Conversations are kept as long as responses, whatever family created them. */
export const ThreadsLive = Threads.Default.pipe(
  Layer.provideMerge(TurnStore.Default),
  Layer.provide(
    Layer.effect(
      ThreadRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)
