import { Duration, Option, Redacted, Schema } from "effect"
import { given, variable } from "./sections/given.ts"

/** How a Postgres is worked with, beside its address. */
export interface PoolSettings {
  /** The server itself, where the other address is that of a pooler before it: for locks, notices and changes of the schema. */
  readonly directUrl: Option.Option<Redacted.Redacted>
  /** Connections of a process at most. */
  readonly connections: number
  /** Whether the server remembers statements by name; off behind a pooler that gives each transaction another connection. */
  readonly prepare: boolean
  /** How long a statement, or a transaction that does nothing, may take. */
  readonly statementTimeout: Duration.Duration
  /** Statements that take longer are logged. */
  readonly slowQuery: Duration.Duration
}

export const isPostgres = (url: string) => /^postgres(ql)?:\/\/./.test(url) && URL.canParse(url)

const directUrls = "expected postgres://<user>:<password>@<host>:<port>/<name>"

const DirectUrl = Schema.Redacted(Schema.String.pipe(Schema.filter(isPostgres, { message: () => directUrls })))
const Connections = Schema.Int.pipe(Schema.between(2, 1_000))
const Seconds = Schema.Number.pipe(Schema.between(0.1, 3_600))
const Milliseconds = Schema.Number.pipe(Schema.positive())

const ofDirectUrl =
  "The server itself, where the other address is a pooler's: for locks, notices and changes of the schema ([operations](operations.md#postgres))."
const ofConnections = "Connections of a process at most."
const ofPrepare =
  "Whether the server remembers statements by name; `false` behind a pooler that gives each transaction another connection."
const ofTimeout = "Seconds that a statement, or a transaction that does nothing, may take."
const ofSlowQueries = "Milliseconds from which a statement is logged."

/** `database` as a mapping. */
export const DatabaseSection = Schema.Struct({
  url: given(
    Schema.Redacted(Schema.NonEmptyString),
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://…`, which may hold a password.",
    "`sqlite:data/gateway.db`"
  ),
  direct_url: given(DirectUrl, ofDirectUrl, "`url`"),
  connections: given(Connections, ofConnections, "`10`"),
  prepare: given(Schema.Boolean, ofPrepare, "`true`"),
  statement_timeout: given(Seconds, ofTimeout, "`30`"),
  slow_query_ms: given(Milliseconds, ofSlowQueries, "`1000`")
})
type DatabaseSection = typeof DatabaseSection.Type

/** The same in the environment. */
export const databaseVariables = {
  GATEWAY_DATABASE_DIRECT_URL: variable(DirectUrl, ofDirectUrl, "", "database.direct_url"),
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

/** `database` as either of its shapes. */
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

/** What is hardly meant, in lines for the operator. */
export const poolWarnings = ({ directUrl, prepare }: PoolSettings): ReadonlyArray<string> =>
  prepare || Option.isSome(directUrl)
    ? []
    : [
        "database.prepare is off, as behind a pooler, and there is no database.direct_url: locks and changes of the schema need a connection to the server itself"
      ]
