import { Clock, Effect, Layer } from "effect"
import { Changes } from "../sql/Changes.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import { DeliveryWake } from "./DeliveryWake.ts"

/** What operators want sent once more, perhaps from a command line beside this process, is sent without delay. */
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
