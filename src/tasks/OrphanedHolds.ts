import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { taskOfHold } from "../ledger/partHold.ts"
import { StoredHolds } from "../ledger/store/StoredHolds.ts"
import { TaskStore } from "./TaskStore.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

const every = "30 seconds"
/** Holds checked at a time. */
const atOnce = 500

/**
 * Releases holds whose tasks have ended or are gone. A safety net: a hold is stored and ended with its task, so there
 * should be none.
 */
export const OrphanedHoldsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* TaskStore
    const unit = yield* UnitOfWork
    const ledger = yield* Ledger
    const holds = yield* StoredHolds

    /** Holds are read before tasks: the task of a stored hold is visible by then. */
    const freeSome = (after: string) =>
      Effect.gen(function* () {
        const ids = yield* holds.after(after, atOnce)
        const open = yield* store.open([...new Set(ids.map(taskOfHold))])
        const orphans = ids.filter((id) => !open.has(taskOfHold(id)))
        if (orphans.length > 0) {
          yield* Effect.logWarning(`releasing ${orphans.length} holds without a task`)
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
