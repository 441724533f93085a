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
    return isPostgres(url) ? [schema, ...(yield* serverFindings(url, settings, stored < known))] : [schema]
  })

const serverFindings = (url: string, settings: GatewaySettings, mustMigrate: boolean) =>
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
      ...(mustMigrate && !server.may_create && !server.is_replica
        ? [
            problem(
              "database server",
              "the user may not create tables, which the next start does",
              `GRANT CREATE ON SCHEMA public to the user of ${setting}, or change it to the schema's owner.`
            )
          ]
        : []),
      ...(server.isPooled ? poolerFindings(settings) : []),
      poolFinding(server, settings),
      clockFinding(server.aheadMs)
    ]
  })

/** Locks, notices and named statements need a connection of their own. */
const poolerFindings = ({ environment, pool }: GatewaySettings): ReadonlyArray<Finding> => {
  const message = "a pooler is between that gives each transaction another connection"
  const prepare = settingOf({ environment }, "database.prepare", "GATEWAY_DATABASE_PREPARE")
  if (Option.isSome(pool.directUrl) && !pool.prepare) return [ok("database pooler", message)]
  return Option.isNone(pool.directUrl)
    ? [
        problem(
          "database pooler",
          message,
          `Set database.direct_url (GATEWAY_DATABASE_DIRECT_URL) to the server's own address, and ${prepare} to false.`
        )
      ]
    : [warning("database pooler", message, `Set ${prepare} to false: not every pooler follows named statements.`)]
}

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

/** The remedy if it does not answer, or refuses. */
export const databaseRemedy =
  (settings: GatewaySettings) =>
  (message: string): string => {
    const direct = settingOf(settings, "database.direct_url", "GATEWAY_DATABASE_DIRECT_URL")
    const setting = `${databaseSetting(settings)}${Option.isSome(settings.pool.directUrl) ? ` and ${direct}` : ""}`
    const [, remedy] = remedies.find(([code]) => message.includes(code)) ?? []
    return remedy === undefined
      ? `Check ${setting}: host, port, user, password and name; and that the server runs.`
      : remedy(setting)
  }

const remedies: ReadonlyArray<readonly [code: string, remedy: (setting: string) => string]> = [
  ["(28P01)", (setting) => `Change the password in ${setting}.`],
  ["(28000)", (setting) => `Change the user in ${setting}, add sslmode=require to it, or its line to pg_hba.conf.`],
  ["(3D000)", (setting) => `Change the name in ${setting}, or create that database.`],
  ["(53300)", () => "Lower database.connections of all nodes, or raise max_connections or the user's limit there."],
  [
    "(ERR_POSTGRES_TLS_NOT_AVAILABLE)",
    (setting) => `Remove sslmode from ${setting}, or give the server a certificate.`
  ],
  ["(EACCES)", (setting) => `Run it as the user that the gateway runs as, or change ${setting}.`]
]
