import { Clock, Effect, Layer } from "effect"
import { Changes } from "../sql/Changes.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** Wakes the sender for redeliveries that operators request, perhaps from another process. */
export const RedeliveriesLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const changes = yield* Changes
    const store = yield* DeliveryStore
    const wake = yield* DeliveryWake
    yield* changes.listen(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        for (const { account_id, due, host } of yield* store.hosts) if (due <= nowMs) wake.due(host, account_id)
      })
    )
  })
).pipe(Layer.provide(Changes.Default))
