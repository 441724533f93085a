import { Clock, Duration, Effect, Option, Redacted, Schema } from "effect"
import { isPostgres } from "../../config/databaseSettings.ts"
import { visitedUrl } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import * as Database from "../../sql/Database.ts"
import { rows } from "../../sql/decode.ts"
import { whyNotMigrated } from "../../sql/migrations.ts"
import { makeClient } from "../../sql/postgres/Client.ts"
import { unavailable } from "../../sql/postgres/Database.ts"
import { ok, problem, settingOf, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

const check = "database"

/** Statements of a request wait for this one after the other. */
const slowMs = 25
/** What is left of a node's lease when clocks differ by more. */
const clockProblemMs = 10_000
const clockWarningMs = 1_000
/** Of each process beside its pool: leases, notices and one for a lock. */
const besidePool = 3

/** The setting that has the database's address. */
export const databaseSetting = (settings: GatewaySettings): string =>
  settingOf(settings, "database.url", "GATEWAY_DATABASE_URL")

/** Its schema, and of a Postgres its version, latency, room for the pool, and clock. */
export const databaseFindings = (settings: GatewaySettings) =>
  Effect.gen(function* () {
    const [tookMs, { known, place, stored }] = yield* Effect.timed(Database.schemasOf(visitedUrl(settings)))
    const refused = whyNotMigrated(stored)
    const schema =
      refused !== undefined
        ? problem(
            check,
            `${place} ${refused}`,
            stored > known
              ? "Run the version of the program that it belongs to, or set GATEWAY_DATABASE_URL (database.url) to another database."
              : "Start 1.0.0 once on it, then this version."
          )
        : stored === known
          ? ok(check, `${place} has schema ${stored}; answers in ${Math.round(Duration.toMillis(tookMs))} ms`)
          : stored === 0
            ? ok(check, `${place} is empty or not there yet: the first start creates schema ${known}`)
            : warning(
                check,
                `${place} has schema ${stored}, this version ${known}`,
                "The next start migrates it; `gateway migrate` does it now, while no gateway serves."
              )
    const url = Redacted.value(settings.databaseUrl)
    return isPostgres(url) ? [schema, ...(yield* serverFindings(url, settings))] : [schema]
  })

const facts = rows("server", {
  version: Schema.String,
  most: Schema.Int,
  reserved: Schema.Int,
  of_role: Schema.Int,
  of_database: Schema.Int,
  is_replica: Schema.Boolean,
  now: Schema.Int
})

const serverFindings = (url: string, settings: GatewaySettings) =>
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
    const server = facts.first(found)
    if (server === undefined) return []
    const remedy = `Change ${databaseSetting(settings)} to a server near the gateway.`
    return [
      tookMs > slowMs
        ? warning("database server", `Postgres ${server.version}; a statement takes ${tookMs} ms`, remedy)
        : ok("database server", `Postgres ${server.version}; a statement takes ${tookMs} ms`),
      ...(server.is_replica
        ? [
            problem(
              "database server",
              "it is a replica, which stores nothing",
              `Change ${databaseSetting(settings)} to the primary.`
            )
          ]
        : []),
      poolFinding(server, settings),
      clockFinding(before + tookMs / 2 - server.now)
    ]
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) => unavailable(url, error))
  )

interface Room {
  readonly most: number
  readonly reserved: number
  readonly of_role: number
  readonly of_database: number
}

/** Limits of -1 are none. */
const poolFinding = ({ most, of_database, of_role, reserved }: Room, settings: GatewaySettings): Finding => {
  const { pool, server } = settings
  const room = Math.min(most - reserved, ...[of_role, of_database].filter((limit) => limit >= 0))
  const needed = server.workers * (pool.connections + besidePool)
  const message = `${server.workers === 1 ? "the process opens" : `${server.workers} workers open`} up to ${needed} connections, the server has ${room}`
  const setting = settingOf(settings, "database.connections", "GATEWAY_DATABASE_CONNECTIONS")
  const remedy = `Lower ${setting} (${pool.connections})${server.workers > 1 ? " or server.workers" : ""}, or raise max_connections of the server.`
  if (needed > room) return problem("database pool", message, remedy)
  return needed * 2 > room
    ? warning("database pool", `${message}: no two nodes fit`, remedy)
    : ok("database pool", message)
}

const clockFinding = (aheadMs: number): Finding => {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const message = `this machine's is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's`
  const remedy = "Run a time service (NTP) on both machines."
  if (Math.abs(aheadMs) > clockProblemMs) return problem("clock", message, remedy)
  return Math.abs(aheadMs) > clockWarningMs ? warning("clock", message, remedy) : ok("clock", message)
}

/** What to do if it does not answer. */
export const databaseRemedy = (settings: GatewaySettings): string => {
  const direct = settingOf(settings, "database.direct_url", "GATEWAY_DATABASE_DIRECT_URL")
  const also = Option.isSome(settings.pool.directUrl) ? ` and ${direct}` : ""
  return `Check ${databaseSetting(settings)}${also}: host, port, user, password and name; and that the server runs.`
}
