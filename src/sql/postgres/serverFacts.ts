import { Clock, Effect, Schema } from "effect"
import { rows } from "../decode.ts"
import { makeClient } from "./Client.ts"
import { unavailable } from "./Database.ts"

const facts = rows("server", {
  version: Schema.String,
  most: Schema.Int,
  reserved: Schema.Int,
  of_role: Schema.Int,
  of_database: Schema.Int,
  is_replica: Schema.Boolean,
  may_create: Schema.Boolean,
  now: Schema.Int
})
const processes = rows("process", { pid: Schema.Int })

/** The shortest of these counts as the time of a statement. */
const tries = 3

/**
 * A server's version, its limits of connections (-1: none), how long a statement takes, how far this machine's clock is
 * ahead of its own, in ms, and whether a pooler gives each transaction another connection.
 */
export const serverFacts = (url: string) =>
  Effect.gen(function* () {
    const options = { url, connections: 1, prepares: false, name: "gateway command" }
    const [sql, other] = yield* Effect.all([makeClient(options), makeClient(options)])
    // The first one opens the connection. Of two that are open, each has a process of its own, unless a pooler is between.
    const [one, two] = [yield* sql`SELECT pg_backend_pid() AS pid`, yield* other`SELECT pg_backend_pid() AS pid`]
    const found = yield* Effect.replicateEffect(
      Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        const started = performance.now()
        const answer = yield* sql`
          SELECT current_setting('server_version') AS version, current_setting('max_connections')::int AS most,
            current_setting('superuser_reserved_connections')::int AS reserved,
            COALESCE((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1) AS of_role,
            COALESCE((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1) AS of_database,
            pg_is_in_recovery() AS is_replica,
            COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
            (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now`
        const tookMs = Math.round(performance.now() - started)
        const server = facts.one(answer[0])
        return { ...server, tookMs, aheadMs: before + tookMs / 2 - server.now }
      }),
      tries
    )
    const isPooled = processes.one(one[0]).pid === processes.one(two[0]).pid
    return { ...found.reduce((least, one) => (one.tookMs < least.tookMs ? one : least)), isPooled }
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => unavailable(url, error))
  )
