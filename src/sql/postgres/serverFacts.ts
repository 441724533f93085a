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
  now: Schema.Int
})

/**
 * A server's version, its limits of connections (-1: none), how long a statement takes, and how far this machine's clock is
 * ahead of its own, in ms.
 */
export const serverFacts = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* makeClient({ url, connections: 1, prepares: false, name: "gateway command" })
    // The first one opens the connection.
    yield* sql`SELECT 1`
    const before = yield* Clock.currentTimeMillis
    const started = performance.now()
    const found = yield* sql`
      SELECT current_setting('server_version') AS version, current_setting('max_connections')::int AS most,
        current_setting('superuser_reserved_connections')::int AS reserved,
        COALESCE((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1) AS of_role,
        COALESCE((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1) AS of_database,
        pg_is_in_recovery() AS is_replica, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now`
    const tookMs = Math.round(performance.now() - started)
    const server = facts.one(found[0])
    return { ...server, tookMs, aheadMs: before + tookMs / 2 - server.now }
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => unavailable(url, error))
  )
