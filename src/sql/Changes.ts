import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schedule } from "effect"

/** How soon a change by another process (a command, another server) is noticed. */
const watchEvery = Schedule.spaced("250 millis")

/**
 * Tells every process that keys or accounts have changed, so that what they remember of them is forgotten within a
 * second. A counter in the database, because one query tells it on every engine.
 */
export class Changes extends Effect.Service<Changes>()("gateway/sql/Changes", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const listeners: Array<Effect.Effect<unknown, SqlError>> = []

    const read = sql<{ version: number }>`SELECT version FROM access_version`.pipe(
      Effect.map((rows) => rows[0]?.version ?? 0)
    )
    let seen = yield* Effect.orDie(read)

    const look = Effect.flatMap(read, (version) => {
      if (version === seen) return Effect.void
      seen = version
      // One that fails, on a busy database say, keeps none of the others from hearing of it, and all hear of it again.
      return Effect.all(listeners, { discard: true, mode: "validate" }).pipe(
        Effect.tapErrorCause(() =>
          Effect.sync(() => {
            seen = -1
          })
        )
      )
    })

    yield* look.pipe(
      Effect.catchAllCause(Effect.logWarning),
      Effect.repeat(watchEvery),
      Effect.annotateLogs({ fiber: "changes" }),
      Effect.forkScoped
    )

    return {
      /** The number of the last change that the listeners heard of. */
      seen: () => seen,
      /** To be run in the transaction of every change. */
      tell: sql`UPDATE access_version SET version = version + 1`,
      /** Runs after each change, in this process within 250 ms. */
      listen: (listener: Effect.Effect<unknown, SqlError>) => Effect.sync(() => listeners.push(listener))
    } as const
  })
}) {}
