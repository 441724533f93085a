import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { ReasoningSignatures } from "./store/ReasoningSignatures.ts"

/** Rows per deletion, few enough not to delay streams. */
const batch = 50

const sweep = Effect.gen(function* () {
  const store = yield* ReasoningSignatures
  const removed = yield* store.removeExpired(batch)
  return Effect.sleep(removed === batch ? "50 millis" : "1 minute")
})

/** Reaper of expired reasoning signatures. */
export const ReasoningSignatureExpiry = Layer.scopedDiscard(daemon("sealExpiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
