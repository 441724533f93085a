import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { everySecond } from "../flow/schedules.ts"
import { Commits } from "./Commits.ts"
import { databaseFile, holdFiles } from "./sqlite/heldFile.ts"

/** After this long without a commit, in ms, one is made to see whether it can be. */
const quiet = 3_000

/** Tells if writes survive a crash at the moment. */
export class DatabaseHealth extends Effect.Service<DatabaseHealth>()("gateway/sql/DatabaseHealth", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const look = holdFiles(yield* databaseFile)
    let lost: string | undefined
    let written = 0

    /** Changes a number that nobody reads, so that there is something to write. There are two texts, for each is kept prepared. */
    const tryToWrite = sql.onDialectOrElse({
      sqlite: () =>
        Effect.suspend(() =>
          commits.commit(sql`PRAGMA user_version = ${sql.literal(String((written = 1 - written)))}`)
        ),
      orElse: () => commits.commit(sql`UPDATE access_version SET version = version`)
    })
    /**
     * Even without room to append, the log's beginning may be reusable: pages that are in the database file already are
     * overwritten.
     */
    const makeRoom = sql.onDialectOrElse({
      sqlite: () => Effect.ignore(sql`PRAGMA wal_checkpoint(PASSIVE)`),
      orElse: () => Effect.void
    })

    /** Looks at the files, and writes where the last commit failed or was some time ago. */
    const watch = Effect.gen(function* () {
      lost = look()
      if (lost !== undefined) return
      const isFailing = commits.refusal() !== undefined
      if (!isFailing && performance.now() - commits.lastAt() < quiet) return
      if (isFailing) yield* makeRoom
      // Its failure is what is asked for, and `commits` remembers it.
      yield* Effect.ignore(tryToWrite)
    })

    return {
      /** Why nothing that is written now would last; undefined while it does. */
      trouble: () => lost ?? commits.refusal(),
      /** Why all that is written goes to files that are not at their paths any more, though it seems to succeed. */
      lost: () => lost,
      watch
    } as const
  })
}) {}

/** Looks every second: so nobody need send anything for it to be known that writes fail, or succeed again. */
export const DatabaseHealthLive = Layer.scopedDiscard(
  Effect.flatMap(DatabaseHealth, ({ watch }) =>
    daemon("durability", Effect.as(watch, Effect.sleep("1 second")), everySecond)
  )
).pipe(Layer.provide([DatabaseHealth.Default, Daemons.Default]))
