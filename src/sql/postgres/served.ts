import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Exit, Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { makeClient } from "./Client.ts"

/** Our advisory lock on the whole database, shared by all gateways that serve from it. */
const servesLock = "776001, 1"
/** How often its holder checks that it still holds the lock. */
const every = "1 second"

/** A gateway is serving, and the command needs the database to itself. */
export const inUse = new DatabaseUnavailable({ message: "it is in use by another gateway" })

/**
 * Marks the database as served until the scope closes. Any number of gateways hold this shared advisory lock. The
 * server releases it when the connection ends, however that happens, and it is taken again.
 */
export const markServed = (url: string): Effect.Effect<void, SqlError | DatabaseUnavailable, Daemons | Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const take = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const connection = yield* Scope.extend(lockClient(url), scope)
      return { connection, isTaken: yield* takenSoon(connection, "pg_try_advisory_lock_shared", 50), scope }
    })
    let held = yield* take
    yield* Scope.addFinalizerExit(outer, (exit) =>
      Effect.zipRight(Effect.ignore(unlock(held.connection, "_shared")), Scope.close(held.scope, exit))
    )
    // A command is migrating the schema, or an old gateway holds the lock exclusively.
    if (!held.isTaken) return yield* inUse
    const look = Effect.gen(function* () {
      const alive = yield* Effect.exit(held.connection.executeUnprepared("SELECT 1", [], undefined))
      if (Exit.isSuccess(alive)) return
      const next = yield* take
      yield* Scope.close(held.scope, Exit.void)
      held = next
    })
    yield* daemon("database.lock", Effect.as(look, Effect.sleep(every)), backoff)
    // Other processes do not follow a `TestClock`.
  }).pipe(Effect.withClock(Clock.make()))

/** Keeps gateways from serving until the scope closes; fails with `inUse` if one serves already. */
export const keepUnserved = (url: string): Effect.Effect<void, SqlError | DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* lockClient(url)
    if (!(yield* takenSoon(connection, "pg_try_advisory_lock", 10))) return yield* inUse
    // The server notices a closed connection with a delay.
    yield* Effect.addFinalizer(() => Effect.ignore(unlock(connection, "")))
  }).pipe(Effect.withClock(Clock.make()))

const unlock = (connection: Connection, mode: "" | "_shared") =>
  connection.executeUnprepared(`SELECT pg_advisory_unlock${mode}(${servesLock})`, [], undefined)

/** A check by a command, or a process that has just ended, may hold the lock for a moment. */
const takenSoon = (connection: Connection, by: string, tries: number): Effect.Effect<boolean, SqlError> =>
  Effect.flatMap(connection.executeUnprepared(`SELECT ${by}(${servesLock}) AS held`, [], undefined), ([row]) =>
    row?.["held"] === true || tries === 0
      ? Effect.succeed(row?.["held"] === true)
      : Effect.zipRight(Effect.sleep("90 millis"), takenSoon(connection, by, tries - 1))
  )

const lockClient = (url: string) =>
  Effect.flatMap(
    makeClient({ url, connections: 1, prepares: false, mostMs: 5_000, name: "gateway lock" }),
    (sql) => sql.reserve
  )
