import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { ResponseStore } from "./store/ResponseStore.ts"

/** Small enough that no stream waits for the statement. */
const batch = 50

const sweep = Effect.gen(function* () {
  const store = yield* ResponseStore
  const removed = yield* Effect.all([store.removeExpired(batch), store.conversations.removeExpired(batch)])
  return Effect.sleep(removed.includes(batch) ? "50 millis" : "1 minute")
})

/** Removes expired responses and conversations, a few at a time. */
export const ResponseExpiry = Layer.scopedDiscard(daemon("responseExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
