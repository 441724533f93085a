import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schedule } from "effect"
import { Ledger } from "../ledger/Ledger.ts"
import { Commits } from "../sql/Commits.ts"

const every = Schedule.spaced("30 seconds")
/** Holds that one pass frees. */
const atOnce = 500

/**
 * Frees holds whose tasks have ended or are gone. A hold is stored and ended with its task, so there should be none: this
 * is for what nobody thought of.
 */
export const OrphanedHoldsLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const ledger = yield* Ledger
    const free = Effect.gen(function* () {
      const orphans = yield* sql<{ id: string }>`SELECT id FROM holds WHERE NOT EXISTS
        (SELECT 1 FROM tasks WHERE tasks.id = holds.id AND ended_at IS NULL) LIMIT ${atOnce}`
      if (orphans.length === 0) return
      yield* Effect.logWarning(`freeing ${orphans.length} holds without a task`)
      yield* commits.write(Effect.forEach(orphans, ({ id }) => ledger.endHold(id, undefined), { discard: true }))
    })
    yield* free.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("orphaned holds were not freed", cause)),
      Effect.repeat(every),
      Effect.annotateLogs({ fiber: "orphanedHolds" }),
      Effect.forkScoped
    )
  })
)
