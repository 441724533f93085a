import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Exit, Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { makeClient } from "./Client.ts"

/** Two numbers of ours: what is locked is the whole database, by all who serve from it together. */
const servesLock = "776001, 1"
/** How often its holder looks whether it is still there. */
const every = "1 second"

/** A gateway serves, and who asked wants to be alone. */
export const inUse = new DatabaseUnavailable({ message: "it is in use by another gateway process" })

/**
 * Is known to serve from the database, as any number of gateways may together, for as long as the scope lives: by a lock
 * of the server's own, which goes with the connection that holds it, however that ends, and is taken again.
 */
export const serving = (url: string): Effect.Effect<void, SqlError | DatabaseUnavailable, Daemons | Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const take = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const connection = yield* Scope.extend(lockClient(url), scope)
      return { connection, isTaken: yield* takenSoon(connection, "pg_try_advisory_lock_shared", 50), scope }
    })
    let held = yield* take
    yield* Scope.addFinalizerExit(outer, (exit) =>
      Effect.zipRight(Effect.ignore(letGo(held.connection, "_shared")), Scope.close(held.scope, exit))
    )
    // A visitor who changes the schema, or a gateway of a version that served alone.
    if (!held.isTaken) return yield* inUse
    const look = Effect.gen(function* () {
      const alive = yield* Effect.exit(held.connection.executeUnprepared("SELECT 1", [], undefined))
      if (Exit.isSuccess(alive)) return
      const next = yield* take
      yield* Scope.close(held.scope, Exit.void)
      held = next
    })
    yield* daemon("database.lock", Effect.as(look, Effect.sleep(every)), backoff)
    // Other processes have no test's clock.
  }).pipe(Effect.withClock(Clock.make()))

/** Keeps every gateway from serving, for as long as the scope lives; fails with `inUse` where one does. */
export const unserved = (url: string): Effect.Effect<void, SqlError | DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const connection = yield* lockClient(url)
    if (!(yield* takenSoon(connection, "pg_try_advisory_lock", 10))) return yield* inUse
    // The connection's own end is noticed a moment after whoever ends it has gone.
    yield* Effect.addFinalizer(() => Effect.ignore(letGo(connection, "")))
  }).pipe(Effect.withClock(Clock.make()))

const letGo = (connection: Connection, how: "" | "_shared") =>
  connection.executeUnprepared(`SELECT pg_advisory_unlock${how}(${servesLock})`, [], undefined)

/** Somebody who only looks holds the lock for a moment, and a process that has just ended may for another. */
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
