import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { StoredFiles } from "./StoredFiles.ts"
import { StoredRows } from "./store/StoredRows.ts"

/** Files removed in a pass. */
const batch = 50

/** Removes files whose time has come: expired ones, and what an upload or a deletion that broke off has left. */
const sweep = Effect.gen(function* () {
  const rows = yield* StoredRows
  const files = yield* StoredFiles
  const due = yield* rows.claimDue(batch)
  for (const hex of due) {
    // Goes on with the other files. This one is due again later.
    yield* Effect.catchAll(files.drop(hex), ({ message }) =>
      Effect.logWarning("an expired file could not be removed", message)
    )
  }
  return Effect.sleep(due.length === batch ? "50 millis" : "1 minute")
})

const sweepHalves = Effect.flatMap(StoredFiles, ({ removeHalves }) =>
  Effect.catchAll(removeHalves, ({ message }) => Effect.logWarning("files could not be listed", message))
)

/** Removes expired files, and what is left of unfinished ones. */
export const StoredFilesExpiry = Layer.scopedDiscard(
  Effect.zipRight(
    daemon("storedFiles", sweep, backoff),
    daemon("storedFiles.halves", Effect.as(sweepHalves, Effect.sleep("1 hour")), backoff)
  )
).pipe(Layer.provide([Daemons.Default, StoredRows.Default]))
