import { Duration, Effect, Option, Redacted } from "effect"
import { isPostgres } from "../../config/databaseSettings.ts"
import { visitedUrl } from "../../config/Settings.ts"
import type { GatewaySettings } from "../../config/Settings.ts"
import * as Database from "../../sql/Database.ts"
import { whyNotMigrated } from "../../sql/migrations.ts"
import { serverFacts } from "../../sql/postgres/serverFacts.ts"
import { ok, problem, settingOf, warning } from "./Finding.ts"
import type { Finding } from "./Finding.ts"

const check = "database"

/** Statements of a request wait for this one after the other. */
const slowMs = 25
/** Nodes whose clocks differ by more are warned of in the log too. */
const clockProblemMs = 10_000
const clockWarningMs = 1_000
/** Of each process beside its pool: leases, notices and one for a lock. */
const besidePool = 3

/** The setting that has the database's address. */
const databaseSetting = (settings: GatewaySettings): string =>
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

const serverFindings = (url: string, settings: GatewaySettings) =>
  Effect.map(serverFacts(url), (server): ReadonlyArray<Finding> => {
    const message = `Postgres ${server.version}; a statement takes ${server.tookMs} ms`
    const setting = databaseSetting(settings)
    return [
      server.tookMs > slowMs
        ? warning("database server", message, `Change ${setting} to a server near the gateway.`)
        : ok("database server", message),
      ...(server.is_replica
        ? [problem("database server", "it is a replica, which stores nothing", `Change ${setting} to the primary.`)]
        : []),
      poolFinding(server, settings),
      clockFinding(server.aheadMs)
    ]
  })

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

export const clockFinding = (aheadMs: number): Finding => {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1)
  const message = `this machine's is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's`
  const remedy = "Run a time service (NTP) on both machines."
  if (Math.abs(aheadMs) > clockProblemMs) return problem("clock", message, remedy)
  return Math.abs(aheadMs) > clockWarningMs ? warning("clock", message, remedy) : ok("clock", message)
}

/** The remedy if it does not answer. */
export const databaseRemedy = (settings: GatewaySettings): string => {
  const direct = settingOf(settings, "database.direct_url", "GATEWAY_DATABASE_DIRECT_URL")
  const also = Option.isSome(settings.pool.directUrl) ? ` and ${direct}` : ""
  return `Check ${databaseSetting(settings)}${also}: host, port, user, password and name; and that the server runs.`
}
