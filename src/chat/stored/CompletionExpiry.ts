import { Effect, Layer } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { StoredCompletions } from "../store/StoredCompletions.ts"

/** Small enough that no stream waits for the statement. */
const batch = 50

const sweep = Effect.gen(function* () {
  const store = yield* StoredCompletions
  const removed = yield* store.removeExpired(batch)
  return Effect.sleep(removed === batch ? "50 millis" : "1 minute")
})

/** Removes expired chat completions, a few at a time. */
export const CompletionExpiry = Layer.scopedDiscard(daemon("completionExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
