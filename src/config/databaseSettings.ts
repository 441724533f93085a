import { Duration, Option, Redacted, Schema } from "effect"
import { secretOf } from "./SecretFiles.ts"
import { optionalField, variable } from "./sections/fields.ts"

/** Settings of the Postgres connections. */
export interface PoolSettings {
  /** Bypasses a pooler, for locks, notifications and schema changes. */
  readonly directUrl: Option.Option<Redacted.Redacted>
  /** Most connections per process. */
  readonly connections: number
  /** Uses named prepared statements; off behind a pooler in transaction mode. */
  readonly prepare: boolean
  /** Timeout of statements and of idle transactions. */
  readonly statementTimeout: Duration.Duration
  /** Statements that take longer are logged. */
  readonly slowQuery: Duration.Duration
}

/** An address whose user and password can be read: raw `/`, `#` and `%` there break it. */
export const isPostgres = (address: string) => {
  const url = /^postgres(?:ql)?:\/\/./.test(address) ? URL.parse(address) : null
  return url !== null && url.hash === "" && !/%(?![0-9a-f]{2})/i.test(url.username + url.password)
}

export const encoded = ", with @ : / # ? % of a user or password percent-encoded (%40 for @)"
const directUrls = `expected postgres://<user>:<password>@<host>:<port>/<name>${encoded}`

const DirectUrl = Schema.String.pipe(Schema.filter(isPostgres, { message: () => directUrls }))
const Connections = Schema.Int.pipe(Schema.between(2, 1_000))
const Seconds = Schema.Number.pipe(Schema.between(0.1, 3_600))
const Milliseconds = Schema.Number.pipe(Schema.positive())

const ofDirectUrl =
  "The server's own address, if `url` is a pooler's: for locks, notifications and schema changes ([operations](operations.md#postgres))."
const ofConnections = "The most connections per process."
const ofPrepare = "Whether to use named prepared statements; `false` behind a pooler in transaction mode."
const ofTimeout = "Timeout of statements and of idle transactions, in seconds."
const ofSlowQueries = "Statements that take this many milliseconds are logged."

/** `database` as a mapping. */
export const DatabaseSection = Schema.Struct({
  url: optionalField(
    secretOf(Schema.NonEmptyString),
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://…`, which may hold a password.",
    "`sqlite:data/gateway.db`"
  ),
  direct_url: optionalField(secretOf(DirectUrl), ofDirectUrl, "`url`"),
  connections: optionalField(Connections, ofConnections, "`10`"),
  prepare: optionalField(Schema.Boolean, ofPrepare, "`true`"),
  statement_timeout: optionalField(Seconds, ofTimeout, "`30`"),
  slow_query_ms: optionalField(Milliseconds, ofSlowQueries, "`1000`")
})
type DatabaseSection = typeof DatabaseSection.Type

/** The same settings as environment variables. */
export const databaseVariables = {
  GATEWAY_DATABASE_DIRECT_URL: variable(Schema.Redacted(DirectUrl), ofDirectUrl, "", "database.direct_url"),
  GATEWAY_DATABASE_CONNECTIONS: variable(
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(2, 1_000)),
    ofConnections,
    "`10`",
    "database.connections"
  ),
  GATEWAY_DATABASE_PREPARE: variable(Schema.BooleanFromString, ofPrepare, "`true`", "database.prepare"),
  GATEWAY_DATABASE_STATEMENT_TIMEOUT: variable(
    Schema.NumberFromString.pipe(Schema.between(0.1, 3_600)),
    ofTimeout,
    "`30`",
    "database.statement_timeout"
  ),
  GATEWAY_DATABASE_SLOW_QUERY_MS: variable(
    Schema.NumberFromString.pipe(Schema.positive()),
    ofSlowQueries,
    "`1000`",
    "database.slow_query_ms"
  )
}
type Variables = Schema.Struct.Type<typeof databaseVariables>

/** Normalises both forms of `database`. */
export const sectionOf = (given: Redacted.Redacted | DatabaseSection | undefined): DatabaseSection =>
  given === undefined ? {} : Redacted.isRedacted(given) ? { url: given } : given

/** The environment wins over the file. */
export const poolSettings = (variables: Variables, section: DatabaseSection): PoolSettings => ({
  directUrl: Option.fromNullable(variables.GATEWAY_DATABASE_DIRECT_URL ?? section.direct_url),
  connections: variables.GATEWAY_DATABASE_CONNECTIONS ?? section.connections ?? 10,
  prepare: variables.GATEWAY_DATABASE_PREPARE ?? section.prepare ?? true,
  statementTimeout: Duration.seconds(variables.GATEWAY_DATABASE_STATEMENT_TIMEOUT ?? section.statement_timeout ?? 30),
  slowQuery: Duration.millis(variables.GATEWAY_DATABASE_SLOW_QUERY_MS ?? section.slow_query_ms ?? 1_000)
})

/** Likely mistakes, one line each. */
export const poolWarnings = ({ directUrl, prepare }: PoolSettings): ReadonlyArray<string> =>
  prepare || Option.isSome(directUrl)
    ? []
    : [
        "database.prepare is off, as for a pooler, but database.direct_url is not set: locks and schema changes need a direct connection to the server"
      ]
