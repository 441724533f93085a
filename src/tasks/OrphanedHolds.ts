import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Commits } from "../sql/Commits.ts"
import { TaskStore } from "./store/TaskStore.ts"

const every = "30 seconds"
/** Holds that one pass frees. */
const atOnce = 500

/**
 * Frees holds whose tasks have ended or are gone. A hold is stored and ended with its task, so there should be none: this
 * is for what nobody thought of.
 */
export const OrphanedHoldsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* TaskStore
    const commits = yield* Commits
    const ledger = yield* Ledger
    const free = Effect.gen(function* () {
      const orphans = yield* store.orphanedHolds(atOnce)
      if (orphans.length === 0) return
      yield* Effect.logWarning(`freeing ${orphans.length} holds without a task`)
      yield* commits.write(Effect.forEach(orphans, (id) => ledger.endHold(id, undefined), { discard: true }))
    })
    yield* daemon("orphanedHolds", Effect.as(free, Effect.sleep(every)), backoff)
  })
).pipe(Layer.provide(Daemons.Default))
