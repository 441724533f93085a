import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { StoredHolds } from "../ledger/store/StoredHolds.ts"
import { TaskStore } from "./TaskStore.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

const every = "30 seconds"
/** Holds that are looked at together. */
const atOnce = 500

/**
 * Frees holds whose tasks have ended or are gone. A hold is stored and ended with its task, so there should be none: this
 * is the safety net.
 */
export const OrphanedHoldsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* TaskStore
    const unit = yield* UnitOfWork
    const ledger = yield* Ledger
    const holds = yield* StoredHolds

    /** The holds are read first: of one that is there, the task is there to be seen. */
    const freeSome = (after: string) =>
      Effect.gen(function* () {
        const ids = yield* holds.after(after, atOnce)
        const open = yield* store.open(ids)
        const orphans = ids.filter((id) => !open.has(id))
        if (orphans.length > 0) {
          yield* Effect.logWarning(`freeing ${orphans.length} holds without a task`)
          yield* unit.commit(Effect.forEach(orphans, (id) => ledger.endHold(id, undefined), { discard: true }))
        }
        return ids
      })
    const free = Effect.gen(function* () {
      let ids = yield* freeSome("")
      while (ids.length === atOnce) ids = yield* freeSome(ids.at(-1) ?? "")
    })
    yield* daemon("orphanedHolds", Effect.as(free, Effect.sleep(every)), backoff)
  })
).pipe(Layer.provide([Daemons.Default, UnitOfWork.Default, StoredHolds.Default]))
