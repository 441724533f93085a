import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs"
import type { SqlClient } from "@effect/sql"
import { Effect, Runtime } from "effect"
import type { Scope } from "effect"
import { databaseFile } from "./heldFile.ts"

/** The longest time until the fsync of such a commit, in ms. */
const lag = 20

/** Syncs commits that did not wait for the disk. */
export interface LogSync {
  /** Call it after such a commit. One fsync within 20 ms covers all of them. */
  readonly soon: () => void
}

const nothing: LogSync = { soon: () => {} }

/**
 * Syncs SQLite's write-ahead log on another thread, where `COMMIT` would block this one. Such commits survive a crash
 * of the process at once, and a power cut 20 ms later. Does nothing without a log: in memory, on Postgres.
 */
export const makeLogSync: Effect.Effect<LogSync, never, SqlClient.SqlClient | Scope.Scope> = Effect.gen(function* () {
  const runtime = yield* Effect.runtime()
  const file = yield* databaseFile
  if (file === "") return nothing

  let descriptor: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  // The log exists from the first commit until the database is closed.
  const log = () => (descriptor ??= openSync(`${file}-wal`, "r"))
  const logFailure = (cause: unknown) =>
    void Runtime.runFork(runtime)(Effect.logError("the database's log can't be synced", cause))
  const sync = () => {
    timer = undefined
    try {
      fdatasync(log(), (cause) => cause !== null && logFailure(cause))
    } catch (cause) {
      logFailure(cause)
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
        logFailure(cause)
      }
    })
  )
  return { soon: () => void (timer ??= setTimeout(sync, lag)) }
})
