import { Context, Data, Duration, Either, Layer, Option, ParseResult, Redacted, Schema } from "effect"
import { describe } from "../contract/describe.ts"

/** What the operator decides about the process, settled once at start. */
export interface GatewaySettings {
  readonly server: {
    readonly host: string
    readonly port: number
    /** How long running requests and streams may go on after the process was told to stop. */
    readonly drainDeadline: Duration.Duration
    /** Whether every answer is checked against the contract before it leaves. */
    readonly checkAnswers: boolean
  }
  /** `sqlite:<path>` or `sqlite::memory:`. */
  readonly databaseUrl: string
  /** The operator's own first key. */
  readonly bootstrapKey: Option.Option<Redacted.Redacted>
}

/** The start stops here; the message is one line that names what is wrong. */
export class BadSettings extends Data.TaggedError("BadSettings")<{ readonly message: string }> {}

export class Settings extends Context.Tag("gateway/config/Settings")<Settings, GatewaySettings>() {
  /** @param env environment variables by name */
  static readonly from = (env: Readonly<Record<string, string | undefined>>) =>
    Layer.effect(
      Settings,
      Either.mapLeft(read(env), (issue) => new BadSettings(describe(issue)))
    )
}

const orElse = <A, I extends string>(schema: Schema.Schema<A, I>, fallback: A) =>
  Schema.optionalWith(schema, { default: () => fallback })

const Port = Schema.NumberFromString.pipe(
  Schema.filter((port) => Number.isInteger(port) && port >= 0 && port <= 65_535, {
    message: ({ actual }) => `expected a port number from 0 to 65535; got "${String(actual)}"`
  })
)

const Environment = Schema.Struct({
  GATEWAY_HOST: orElse(Schema.NonEmptyString, "127.0.0.1"),
  GATEWAY_PORT: orElse(Port, 8080),
  GATEWAY_DATABASE_URL: orElse(
    Schema.String.pipe(Schema.pattern(/^sqlite:.+$/, { message: () => "expected sqlite:<path> or sqlite::memory:" })),
    "sqlite:data/gateway.db"
  ),
  GATEWAY_DRAIN_SECONDS: orElse(Schema.NumberFromString.pipe(Schema.between(0, 3_600)), 25),
  GATEWAY_CHECK_ANSWERS: orElse(Schema.BooleanFromString, false),
  GATEWAY_BOOTSTRAP_KEY: Schema.optional(
    Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))
  )
})

const read = (env: Readonly<Record<string, string | undefined>>) =>
  Either.map(ParseResult.decodeUnknownEither(Environment)(withoutEmpty(env)), (values): GatewaySettings => ({
    server: {
      host: values.GATEWAY_HOST,
      port: values.GATEWAY_PORT,
      drainDeadline: Duration.seconds(values.GATEWAY_DRAIN_SECONDS),
      checkAnswers: values.GATEWAY_CHECK_ANSWERS
    },
    databaseUrl: values.GATEWAY_DATABASE_URL,
    bootstrapKey: Option.map(Option.fromNullable(values.GATEWAY_BOOTSTRAP_KEY), Redacted.make)
  }))

/** An empty variable is one that was not set. */
const withoutEmpty = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""))
