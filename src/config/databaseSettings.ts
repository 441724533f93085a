import { Duration, Option, Redacted, Schema } from "effect"

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

const isPostgres = (url: string) => /^postgres(ql)?:\/\/./.test(url) && URL.canParse(url)

const directUrls = "expected postgres://<user>:<password>@<host>:<port>/<name>"

const DirectUrl = Schema.Redacted(Schema.String.pipe(Schema.filter(isPostgres, { message: () => directUrls })))
const Connections = Schema.Int.pipe(Schema.between(2, 1_000))
const Seconds = Schema.Number.pipe(Schema.between(0.1, 3_600))
const Milliseconds = Schema.Number.pipe(Schema.positive())

/** `database` as a mapping. */
export const DatabaseSection = Schema.Struct({
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`, which may hold a password. */
  url: Schema.optional(Schema.Redacted(Schema.NonEmptyString)),
  direct_url: Schema.optional(DirectUrl),
  connections: Schema.optional(Connections),
  prepare: Schema.optional(Schema.Boolean),
  /** Seconds. */
  statement_timeout: Schema.optional(Seconds),
  slow_query_ms: Schema.optional(Milliseconds)
})
type DatabaseSection = typeof DatabaseSection.Type

/** The same in the environment. */
export const databaseVariables = {
  GATEWAY_DATABASE_DIRECT_URL: Schema.optional(DirectUrl),
  GATEWAY_DATABASE_CONNECTIONS: Schema.optional(Schema.NumberFromString.pipe(Schema.int(), Schema.between(2, 1_000))),
  GATEWAY_DATABASE_PREPARE: Schema.optional(Schema.BooleanFromString),
  GATEWAY_DATABASE_STATEMENT_TIMEOUT: Schema.optional(Schema.NumberFromString.pipe(Schema.between(0.1, 3_600))),
  GATEWAY_DATABASE_SLOW_QUERY_MS: Schema.optional(Schema.NumberFromString.pipe(Schema.positive()))
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
