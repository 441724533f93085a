import { join, dirname } from "node:path"
import { Database } from "bun:sqlite"
import { Data, Effect, Schedule } from "effect"
import type { Duration } from "effect"
import { ownFolder, signInsFile } from "./storedSignIns.ts"

/** Another process has the lock for too long, or there can be none. */
export class Busy extends Data.TaggedError("Busy")<{ readonly message: string }> {}

/**
 * Runs an effect while no other process of this user does. SQLite's lock on an empty file is the kernel's: it ends with its
 * process, however that ends.
 *
 * @param patience how long to wait for the others
 */
export const alone = (patience: Duration.Duration) => {
  const file = join(dirname(signInsFile()), "lock")
  const held = Effect.acquireRelease(
    Effect.zipRight(ownFolder, Effect.try({ try: () => lock(file), catch: (cause) => busy(file, cause) })).pipe(
      Effect.retry(Schedule.upTo(Schedule.spaced("50 millis"), patience))
    ),
    (database) => Effect.sync(() => database.close())
  )
  return <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.scoped(Effect.zipRight(held, work))
}

const lock = (file: string): Database => {
  const database = new Database(file, { create: true })
  try {
    database.run("BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const busy = (file: string, cause: unknown) =>
  new Busy({ message: `another process holds ${file} (${cause instanceof Error ? cause.message : String(cause)})` })
