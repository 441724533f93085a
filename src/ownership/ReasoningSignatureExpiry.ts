import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { ReasoningSignatures } from "./store/ReasoningSignatures.ts"

/** Few enough that no stream waits for the statement. */
const batch = 50

const sweep = Effect.gen(function* () {
  const store = yield* ReasoningSignatures
  const removed = yield* store.removeExpired(batch)
  return Effect.sleep(removed === batch ? "50 millis" : "1 minute")
})

/** Removes seals whose time is over, a few at a time. */
export const ReasoningSignatureExpiry = Layer.scopedDiscard(daemon("sealExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
