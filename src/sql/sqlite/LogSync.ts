import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs"
import type { SqlClient } from "@effect/sql"
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { databaseFile } from "./heldFile.ts"

/** How long a commit without an fsync of its own may stay without one, in ms. */
const lag = 20

/** Brings commits to the disk that did not wait for it. */
export interface LogSync {
  /** There has been one; the fsync follows, for it and all others of the next 20 ms. */
  readonly soon: () => void
}

const nothing: LogSync = { soon: () => {} }

/**
 * Syncs SQLite's write-ahead log on another thread, where `COMMIT` would keep everybody waiting for the disk on the one
 * that there is: what nobody need wait for survives the death of the process at once, and a power cut 20 ms later.
 * Does nothing where there is no such log: in memory, on Postgres.
 */
export const makeLogSync: Effect.Effect<LogSync, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const file = yield* databaseFile
  if (file === "") return nothing

  let descriptor: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  // There is a log from the first commit on, and SQLite keeps it until the database is closed.
  const log = () => (descriptor ??= openSync(`${file}-wal`, "r"))
  const tell = (cause: unknown) =>
    void Runtime.runFork(runtime)(Effect.logError("the database's log can't be synced", cause))
  const sync = () => {
    timer = undefined
    try {
      fdatasync(log(), (cause) => cause !== null && tell(cause))
    } catch (cause) {
      tell(cause)
    }
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const isDue = timer !== undefined
      clearTimeout(timer)
      try {
        if (isDue) fdatasyncSync(log())
        if (descriptor !== undefined) closeSync(descriptor)
      } catch (cause) {
        tell(cause)
      }
    })
  )
  return { soon: () => void (timer ??= setTimeout(sync, lag)) }
})
