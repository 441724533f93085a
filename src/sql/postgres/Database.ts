import { SqlClient } from "@effect/sql"
import { Cause, Context, Duration, Effect, Layer, Option, Predicate, Redacted, Runtime, Schedule } from "effect"
import type { PoolSettings } from "../../config/databaseSettings.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { Connections } from "../Connections.ts"
import { Aside } from "../Aside.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { errorCode } from "../errorCode.ts"
import { latestVersion, migrate, storedVersion, whyNotMigrated } from "../migrations.ts"
import type { Schemas } from "../migrations.ts"
import { Notices } from "../Notices.ts"
import { makeClient } from "./Client.ts"
import { makeNotices } from "./Listen.ts"
import { inUse, markServed, keepUnserved } from "./served.ts"

interface Options {
  /** `postgres://<user>:<password>@<host>:<port>/<name>`. */
  readonly url: string
  /** True for a server, which may share the database with others. Commands connect briefly. */
  readonly exclusive: boolean
  readonly pool?: PoolSettings | undefined
}

/** The defaults. */
const usual: PoolSettings = {
  directUrl: Option.none(),
  connections: 10,
  prepare: true,
  statementTimeout: Duration.seconds(30),
  slowQuery: Duration.infinity
}
/** Connections of a command. */
const ofVisitor = 2
/** The time limit of a statement on the connection outside the pool, in ms. */
const asideMs = 4_000
/** The longest statement text in the log, in characters. */
const longestText = 500

/** A Postgres database, as `sql/Database.ts` opens it, and a connection outside its pool. */
export const layer = ({
  exclusive,
  pool = usual,
  url
}: Options): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const direct = Option.match(pool.directUrl, { onNone: () => url, onSome: Redacted.value })
      if (exclusive) yield* markServed(direct)
      const sql = yield* makeClient({
        url,
        connections: exclusive ? pool.connections : ofVisitor,
        prepares: pool.prepare,
        isPooled: !pool.prepare,
        mostMs: Math.round(Duration.toMillis(pool.statementTimeout)),
        slow: yield* slowLog,
        slowMs: Duration.toMillis(pool.slowQuery),
        name: exclusive ? "gateway" : "gateway command"
      })
      yield* Effect.provideService(upToDate(direct, exclusive), SqlClient.SqlClient, sql)
      const aside = yield* makeClient({
        url: direct,
        connections: 1,
        prepares: true,
        mostMs: asideMs,
        name: "gateway node"
      })
      const notices = yield* makeNotices(direct, aside)
      return Context.make(SqlClient.SqlClient, sql).pipe(
        Context.add(Aside, aside),
        Context.add(Notices, notices),
        Context.add(Connections, exclusive ? pool.connections : ofVisitor)
      )
    }).pipe(Effect.mapError((error) => unavailable(url, error)))
  ).pipe(Layer.provide(Daemons.Default))

/** Statement texts contain no values. */
const slowLog = Effect.map(Effect.runtime(), (runtime) => (text: string, tookMs: number): void => {
  const statement = text.replaceAll(/\s+/g, " ").slice(0, longestText)
  Runtime.runFork(runtime)(
    Effect.annotateLogs(Effect.logWarning("a statement took long"), {
      event: "database.slow",
      duration_ms: Math.round(tookMs),
      statement
    })
  )
})

/** True if a gateway serves from this database now. */
export const isServed = (url: string): Effect.Effect<boolean, DatabaseUnavailable> =>
  Effect.scoped(Effect.as(keepUnserved(url), false)).pipe(
    Effect.catchAll((error) => (error === inUse ? Effect.succeed(true) : Effect.fail(unavailable(url, error))))
  )

/** The schema version of the database, and the version that this gateway migrates to. */
export const schemasOf = (url: string): Effect.Effect<Schemas, DatabaseUnavailable> =>
  Effect.scoped(
    Effect.flatMap(makeClient({ url, connections: 1, prepares: false, name: "gateway command" }), (sql) =>
      Effect.map(Effect.provideService(storedVersion, SqlClient.SqlClient, sql), (stored) => ({
        place: placeOf(url),
        stored,
        known: latestVersion
      }))
    )
  ).pipe(Effect.mapError((error) => unavailable(url, error)))

/** Migrates the schema under a lock, one process at a time. A command migrates only if no server is running. */
const upToDate = (url: string, exclusive: boolean) =>
  Effect.gen(function* () {
    const version = yield* storedVersion
    if (version === latestVersion) return
    const refused = whyNotMigrated(version)
    if (refused !== undefined) return yield* new DatabaseUnavailable({ message: `it ${refused}` })
    if (!exclusive) {
      yield* Effect.mapError(keepUnserved(url), (error) =>
        error === inUse
          ? new DatabaseUnavailable({
              message: `it has schema ${version}, and a gateway of that version runs on it: restart it with this version (schema ${latestVersion}) first`
            })
          : error
      )
    }
    // Migrating a large table takes time.
    const lock = yield* makeClient({ url, connections: 1, prepares: false, name: "gateway migration" })
    const connection = yield* lock.reserve
    yield* connection.executeUnprepared(`SELECT pg_advisory_lock(${migratesLock})`, [], undefined)
    const sql = yield* makeClient({ url, connections: 1, prepares: false, name: "gateway migration" })
    yield* sql`SET lock_timeout = ${sql.literal(String(longestLockMs))}`
    yield* Effect.provideService(patiently(migrate), SqlClient.SqlClient, sql)
    if (!exclusive && version > 0) {
      yield* Effect.logInfo(`database ${placeOf(url)}: migrated from schema ${version} to schema ${latestVersion}`)
    }
  }).pipe(Effect.scoped)

/**
 * How long a migration waits for a table that nodes of the version before use. Shorter than `deadlock_timeout` (a second):
 * where both wait for each other, the migration gives way, and no request fails.
 */
const longestLockMs = 500

/** Tries again while other nodes hold a lock that a migration needs. It is one transaction. */
const patiently = <A, E, R>(migration: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  migration.pipe(
    Effect.sandbox,
    Effect.retry({ while: isLocked, schedule: Schedule.jittered(Schedule.spaced("200 millis")), times: 60 }),
    Effect.unsandbox
  )

/** True if a table was locked for too long (`lock_not_available`), or for a deadlock. */
const isLocked = (cause: Cause.Cause<unknown>): boolean => /^(55P03|40P01)$/.test(codeWithin(Cause.squash(cause)))

const codeWithin = (error: unknown): string =>
  errorCode(error) || (Predicate.hasProperty(error, "cause") ? codeWithin(error.cause) : "")

/** Our advisory lock, beside that of `served`: it locks the whole database. */
const migratesLock = "776001, 2"

/** Names the address without the password, and the server's reason. */
export const unavailable = (url: string, error: unknown): DatabaseUnavailable => {
  const why =
    error instanceof DatabaseUnavailable
      ? error.message
      : error instanceof Error && "cause" in error
        ? reasonOf(error.cause)
        : "it can't be opened"
  return new DatabaseUnavailable({ message: `database ${placeOf(url)}: ${why}` })
}

const placeOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? "postgres://…" : `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}

const reasonOf = (cause: unknown): string => {
  const code = errorCode(cause)
  const known = reasons.find(([prefix]) => code.startsWith(prefix))?.[1]
  return `${known ?? "it can't be opened"}${code === "" ? "" : ` (${code})`}`
}

const reasons = [
  ["28P01", "the server refuses the password"],
  ["28", "the server refuses the user: there is none, or pg_hba.conf lets it in from elsewhere or by TLS alone"],
  ["3D", "the server has no such database"],
  ["42501", "the user may not do what is needed"],
  ["53300", "the server has no connection left"],
  ["57P03", "the server is starting"],
  ["ERR_POSTGRES_TLS_NOT_AVAILABLE", "the server has no TLS, which sslmode asks for"],
  ["ERR_POSTGRES", "the server can't be reached"],
  ["ECONN", "the server can't be reached"]
] as const
