import { existsSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Duration, Effect, Either, Layer, Option, ParseResult, Redacted, Schema } from "effect"
import { describe } from "../contract/describe.ts"
import { BadSettings, readDocument } from "./document.ts"
import type { Located } from "./document.ts"
import { fileOf } from "./fromEnvironment.ts"
import { GatewayFile } from "./GatewayFile.ts"

/** What the operator decides about the process, settled once at start. */
export interface GatewaySettings {
  readonly server: {
    readonly host: string
    readonly port: number
    /** Where clients reach the gateway; none for the address it listens on. */
    readonly publicUrl: Option.Option<string>
    /** How long running requests and streams may go on after the process was told to stop. */
    readonly drainDeadline: Duration.Duration
    /** Whether every answer is checked against the contract before it leaves. */
    readonly checkAnswers: boolean
    readonly corsOrigins: ReadonlyArray<string>
    /** Whether `GET /metrics` is there, without a key. */
    readonly metrics: boolean
  }
  /** `sqlite:<path>` or `sqlite::memory:`. */
  readonly databaseUrl: string
  /** The operator's own first key. */
  readonly bootstrapKey: Option.Option<Redacted.Redacted>
  /** Opens the admin API; none: there is no admin API. */
  readonly adminKey: Option.Option<Redacted.Redacted>
  /** Where the gateway keeps what is not in the database: its secret, rendered files. Beside the database file. */
  readonly dataDirectory: string
  /** The master secret; none for a file in the data directory. */
  readonly secret: Option.Option<Redacted.Redacted>
  /** The default account's own webhook secret; none for a derived one. */
  readonly webhookSecret: Option.Option<Redacted.Redacted>
  /** Address ranges that callers' URLs may reach although they are private. */
  readonly allowAddresses: ReadonlyArray<string>
  readonly retention: {
    readonly responses: Duration.Duration
    readonly tasks: Duration.Duration
    readonly files: Duration.Duration
  }
  /** The file as it was read: upstreams, models, keys and search are resolved by those who own them. */
  readonly file: Located<GatewayFile>
  /** Where the file is; none where there is no file. */
  readonly filePath: Option.Option<string>
  /** Reads the file as it is now. */
  readonly reread: Effect.Effect<Located<GatewayFile>, BadSettings>
}

export class Settings extends Context.Tag("gateway/config/Settings")<Settings, GatewaySettings>() {
  /** @param env environment variables by name; `GATEWAY_CONFIG` names the file, else `gateway.yaml` is read if it is there */
  static readonly from = (env: Environment) => Layer.effect(Settings, Either.flatMap(readEnvironment(env), settle(env)))
}

export type Environment = Readonly<Record<string, string | undefined>>

const Port = Schema.NumberFromString.pipe(
  Schema.filter((port) => Number.isInteger(port) && port >= 0 && port <= 65_535, {
    message: ({ actual }) => `expected a port number from 0 to 65535; got "${String(actual)}"`
  })
)

const DatabaseUrl = Schema.String.pipe(
  Schema.pattern(/^sqlite:.+$/, { message: () => "expected sqlite:<path> or sqlite::memory:" })
)

/** A key that a person chose. */
const OwnKey = Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))

const Variables = Schema.Struct({
  GATEWAY_CONFIG: Schema.optional(Schema.String),
  GATEWAY_HOST: Schema.optional(Schema.String),
  GATEWAY_PORT: Schema.optional(Port),
  GATEWAY_PUBLIC_URL: Schema.optional(
    Schema.String.pipe(Schema.filter((text) => URL.canParse(text), { message: () => "expected an http(s) address" }))
  ),
  GATEWAY_DATABASE_URL: Schema.optional(DatabaseUrl),
  GATEWAY_DRAIN_SECONDS: Schema.optional(Schema.NumberFromString.pipe(Schema.between(0, 3_600))),
  GATEWAY_CHECK_ANSWERS: Schema.optional(Schema.BooleanFromString),
  GATEWAY_METRICS: Schema.optional(Schema.BooleanFromString),
  GATEWAY_ALLOW_ADDRESSES: Schema.optional(Schema.String),
  GATEWAY_SECRET: Schema.optional(Schema.Redacted(Schema.String)),
  GATEWAY_WEBHOOK_SECRET: Schema.optional(Schema.Redacted(Schema.String)),
  GATEWAY_BOOTSTRAP_KEY: Schema.optional(OwnKey),
  GATEWAY_ADMIN_KEY: Schema.optional(OwnKey)
})
type Variables = typeof Variables.Type

const readEnvironment = (env: Environment): Either.Either<Variables, BadSettings> =>
  Either.mapLeft(
    ParseResult.decodeUnknownEither(Variables)(withoutEmpty(env)),
    (issue) => new BadSettings({ message: describe(issue).message })
  )

/** An empty variable is one that was not set; an empty secret is a mistake that must not go unnoticed. */
const withoutEmpty = (env: Environment) =>
  Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== undefined && (value !== "" || name.endsWith("_SECRET")))
  )

/** Read where no other file is named. */
export const defaultFile = "gateway.yaml"

const readGatewayFile = (
  path: Option.Option<string>,
  env: Environment
): Either.Either<Located<GatewayFile>, BadSettings> =>
  Option.match(path, {
    onNone: () => fileOf(env),
    onSome: (path) => Either.flatMap(readText(path), (text) => readDocument(path, text, env, GatewayFile))
  })

const filePath = (variables: Variables): Option.Option<string> => {
  if (variables.GATEWAY_CONFIG !== undefined) return Option.some(variables.GATEWAY_CONFIG)
  return existsSync(defaultFile) ? Option.some(defaultFile) : Option.none()
}

const readText = (path: string): Either.Either<string, BadSettings> =>
  Either.try({
    try: () => readFileSync(path, "utf8"),
    catch: () => new BadSettings({ message: `${path}: the file can't be read` })
  })

const days = (count: number) => Duration.days(count)

/** The environment wins over the file. */
const settle = (env: Environment) => (variables: Variables) => {
  const path = filePath(variables)
  return Either.flatMap(readGatewayFile(path, env), (file): Either.Either<GatewaySettings, BadSettings> => {
    const { callbacks, database, retention, server } = file.value
    if (database !== undefined && !Schema.is(DatabaseUrl)(database)) {
      return Either.left(file.complain(["database"], "database: expected sqlite:<path> or sqlite::memory:"))
    }
    const databaseUrl = variables.GATEWAY_DATABASE_URL ?? database ?? "sqlite:data/gateway.db"
    return Either.right({
      server: {
        host: variables.GATEWAY_HOST ?? server?.host ?? "127.0.0.1",
        port: variables.GATEWAY_PORT ?? server?.port ?? 8080,
        publicUrl: Option.fromNullable(variables.GATEWAY_PUBLIC_URL ?? server?.public_url),
        drainDeadline: Duration.seconds(variables.GATEWAY_DRAIN_SECONDS ?? server?.drain_seconds ?? 25),
        checkAnswers: variables.GATEWAY_CHECK_ANSWERS ?? false,
        corsOrigins: server?.cors_origins ?? [],
        metrics: variables.GATEWAY_METRICS ?? server?.metrics ?? false
      },
      databaseUrl,
      dataDirectory: databaseUrl.endsWith(":memory:") ? "data" : dirname(databaseUrl.slice("sqlite:".length)),
      secret: Option.fromNullable(variables.GATEWAY_SECRET),
      webhookSecret: Option.fromNullable(variables.GATEWAY_WEBHOOK_SECRET),
      bootstrapKey: Option.map(Option.fromNullable(variables.GATEWAY_BOOTSTRAP_KEY), Redacted.make),
      adminKey: Option.map(Option.fromNullable(variables.GATEWAY_ADMIN_KEY), Redacted.make),
      allowAddresses: [...(variables.GATEWAY_ALLOW_ADDRESSES?.split(",") ?? []), ...(callbacks?.allow ?? [])]
        .map((range) => range.trim())
        .filter((range) => range !== ""),
      retention: {
        responses: days(retention?.responses_days ?? 30),
        tasks: days(retention?.tasks_days ?? 7),
        files: Duration.hours(retention?.files_hours ?? 48)
      },
      file,
      filePath: path,
      // A file that is made after the start counts too; one that is gone is missed.
      reread: Effect.suspend(() =>
        readGatewayFile(
          Option.orElse(path, () => filePath(variables)),
          env
        )
      )
    })
  })
}
