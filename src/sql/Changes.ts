import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Queue, Schema } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { rows } from "./decode.ts"
import { onNotice, Notices } from "./Notices.ts"

/** How soon a change by another process (a command, another server) is noticed. */
const watchEvery = "250 millis"

/** The clock by which `Changes.nowMs` goes; tests with a clock of their own set `process`. */
export class ClockSource extends Context.Reference<ClockSource>()("gateway/sql/ClockSource", {
  defaultValue: (): "database" | "process" => "database"
}) {}

/**
 * Tells every process that keys or accounts have changed, so that it drops its cached copies within a second. The
 * signal is a counter in the database, which one query reads on every engine; nodes also notify each other when it
 * moves.
 */
export class Changes extends Effect.Service<Changes>()("gateway/sql/Changes", {
  dependencies: [Daemons.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notices = yield* Notices
    const listeners: Array<Effect.Effect<unknown, SqlError>> = []

    const clock = yield* Effect.clock
    /** The database's clock beside this process's. The latter may be wrong, but it goes on evenly. */
    let aheadMs = 0
    const now = sql.literal("(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint")
    const isShared = sql.onDialectOrElse({ pg: () => true, orElse: () => false }) && (yield* ClockSource) === "database"
    const ownClock = () => (isShared ? performance.now() : clock.unsafeCurrentTimeMillis())
    const read = sql
      .onDialectOrElse({
        pg: () => sql`SELECT version, ${now} AS now FROM access_version`,
        orElse: () => sql`SELECT version, NULL AS now FROM access_version`
      })
      .pipe(
        Effect.map((found) => {
          const row = versions.first(found)
          if (isShared && row !== undefined && row.now !== null) aheadMs = row.now - ownClock()
          return row?.version ?? 0
        })
      )
    let seen = yield* Effect.orDie(read)

    // One look at a time: a concurrent one returns only after the first has run the listeners.
    const alone = yield* Effect.makeSemaphore(1)
    const look = Effect.flatMap(read, (version) => {
      if (version === seen) return Effect.void
      seen = version
      // A listener that fails, for example on a busy database, does not stop the others. All of them run again.
      return Effect.all(listeners, { discard: true, mode: "validate" }).pipe(
        Effect.tapErrorCause(() =>
          Effect.sync(() => {
            seen = -1
          })
        )
      )
    }).pipe(alone.withPermits(1))

    const noticed = yield* Queue.sliding<void>(1)
    yield* onNotice("changes", () => noticed.unsafeOffer(undefined))
    yield* daemon("changes", Effect.as(look, Effect.timeoutOption(noticed.take, watchEvery)), backoff)

    return {
      /** The number of the last change that the listeners have seen. */
      seen: () => seen,
      /**
       * Run this after a change of this process is committed and before it is answered: the change is then in effect
       * here.
       */
      notice: Effect.zipRight(
        Effect.sync(() => notices.notify("changes", "")),
        Effect.ignore(look)
      ),
      /** Run this in the transaction of every change. */
      tell: sql`UPDATE access_version SET version = version + 1`,
      /** The time by the database's clock, as read within the last 250 ms. In Unix ms. */
      nowMs: () => Math.floor(ownClock() + aheadMs),
      /** Runs after each change, in this process within 250 ms. */
      listen: (listener: Effect.Effect<unknown, SqlError>) => Effect.sync(() => listeners.push(listener))
    } as const
  })
}) {}

const versions = rows("access_version", { version: Schema.Int, now: Schema.NullOr(Schema.Int) })
