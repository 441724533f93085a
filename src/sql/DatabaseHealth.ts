import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { everySecond } from "../flow/schedules.ts"
import { Commits } from "./Commits.ts"
import { databaseFile, holdFiles } from "./sqlite/heldFile.ts"

/** After this long without a commit, in ms, a test write is made. */
const quiet = 3_000

/** Reports whether writes are durable at the moment. */
export class DatabaseHealth extends Effect.Service<DatabaseHealth>()("gateway/sql/DatabaseHealth", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const look = holdFiles(yield* databaseFile)
    let lost: string | undefined
    let written = 0

    /** An unused value to write. It alternates between two texts, because each text stays prepared. */
    const tryToWrite = sql.onDialectOrElse({
      sqlite: () =>
        Effect.suspend(() =>
          commits.commit(sql`PRAGMA user_version = ${sql.literal(String((written = 1 - written)))}`)
        ),
      orElse: () => commits.commit(sql`UPDATE access_version SET version = version`)
    })
    /** Frees space in the log on a full disk: a checkpoint overwrites existing pages of the database file. */
    const makeRoom = sql.onDialectOrElse({
      sqlite: () => Effect.ignore(sql`PRAGMA wal_checkpoint(PASSIVE)`),
      orElse: () => Effect.void
    })

    /** Checks the files. Makes a test write if the last commit failed or was some time ago. */
    const watch = Effect.gen(function* () {
      lost = look()
      if (lost !== undefined) return
      const isFailing = commits.refusal() !== undefined
      if (!isFailing && performance.now() - commits.lastAt() < quiet) return
      if (isFailing) yield* makeRoom
      // The failure is recorded by `commits`.
      yield* Effect.ignore(tryToWrite)
    })

    return {
      /** The reason why writes are not durable; undefined if they are. */
      trouble: () => lost ?? commits.refusal(),
      /** The reason why writes go to files that are no longer at their paths, although they seem to succeed. */
      lost: () => lost,
      watch
    } as const
  })
}) {}

/** Checks every second, so that readiness follows the database even without traffic. */
export const DatabaseHealthLive = Layer.scopedDiscard(
  Effect.flatMap(DatabaseHealth, ({ watch }) =>
    daemon("durability", Effect.as(watch, Effect.sleep("1 second")), everySecond)
  )
).pipe(Layer.provide([DatabaseHealth.Default, Daemons.Default]))
