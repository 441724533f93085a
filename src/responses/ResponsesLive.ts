import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { BackgroundResponses } from "./background/BackgroundResponses.ts"
import { ConversationsHandlers } from "./conversations/Handlers.ts"
import { ResponsesHandlers } from "./Handlers.ts"
import { ResponseExpiry } from "./ResponseExpiry.ts"
import { ResponseEvents } from "./store/ResponseEvents.ts"
import { ResponseRetention } from "./store/ResponseRetention.ts"
import { ResponseStore } from "./store/ResponseStore.ts"

/** Stored responses, with the retention of the settings. */
export const StoredResponsesLive = Layer.merge(ResponseStore.Default, ResponseEvents.Default).pipe(
  Layer.provideMerge(
    Layer.effect(
      ResponseRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

/** Serves responses and removes expired ones. */
export const ResponsesLive = Layer.mergeAll(ResponsesHandlers, ConversationsHandlers, ResponseExpiry).pipe(
  Layer.provide(BackgroundResponses.Default),
  Layer.provide(StoredResponsesLive)
)
