import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { BatchStore } from "./store/BatchStore.ts"

const sweep = Effect.flatMap(BatchStore, ({ removeSome }) =>
  Effect.map(removeSome, (hasMore) => Effect.sleep(hasMore ? "50 millis" : "1 minute"))
)

/** Removes batches whose time has come: expired and deleted ones, and those that were refused. */
export const BatchExpiry = Layer.scopedDiscard(daemon("batches.expiry", sweep, backoff)).pipe(
  Layer.provide(Daemons.Default)
)
