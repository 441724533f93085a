import { dirname, resolve } from "node:path"
import { Context, Duration, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { isPostgres, poolSettings, poolWarnings, sectionOf } from "./databaseSettings.ts"
import type { PoolSettings } from "./databaseSettings.ts"
import { BadSettings } from "./document.ts"
import type { Environment, Located } from "./document.ts"
import { filesPlace } from "./filesPlace.ts"
import type { FilesPlace } from "./filesPlace.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import {
  defaultFile,
  fileSource,
  inDatabase,
  readGatewayText,
  sameAsAdminKey,
  storedSource,
  storedWarnings
} from "./source.ts"
import type { Source } from "./source.ts"
import { spanOf } from "./spanOf.ts"
import { DatabaseUrl, databaseUrls, readEnvironment, Variables } from "./variables.ts"
import { environmentWarnings } from "./warnings.ts"

/** What the operator decides about the process, settled once at start. */
export interface GatewaySettings {
  readonly server: {
    readonly host: string
    readonly port: number
    /** Where clients reach the gateway; none for the address it listens on. */
    readonly publicUrl: Option.Option<string>
    /** How long running requests and streams may go on after the process was told to stop. */
    readonly drainDeadline: Duration.Duration
    /** How long new requests are still served before that, while readiness fails. */
    readonly leaveTime: Duration.Duration
    /** Processes that are to serve the port together. */
    readonly workers: number
    /** Whether the process readies itself for its first requests before it says that it is ready. */
    /** Whether every answer is checked against the contract before it leaves. */
    readonly checkAnswers: boolean
    readonly corsOrigins: ReadonlyArray<string>
    /** Ranges of addresses whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: ReadonlyArray<string>
    /** Whether `GET /metrics` asks for no key; the admin key always opens it. */
    readonly metrics: boolean
    /** Files of the certificate that is shown; none: the gateway speaks HTTP. */
    readonly tls: Option.Option<{ readonly cert: string; readonly key: string }>
  }
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>:<port>/<name>`. */
  readonly databaseUrl: Redacted.Redacted
  /** How it is worked with, where it is a Postgres. */
  readonly pool: PoolSettings
  /** The operator's own first key. */
  readonly bootstrapKey: Option.Option<Redacted.Redacted>
  /** Opens the admin API; none: no key does. */
  readonly adminKey: Option.Option<Redacted.Redacted>
  /** Counts the limits of all processes together; none: each process counts its own. */
  readonly redisUrl: Option.Option<Redacted.Redacted>
  /** Where the gateway keeps what is not in the database: its secret, rendered files. Beside the database file if there is one. */
  readonly dataDirectory: string
  /** The master secret; none for a file in the data directory. */
  readonly secret: Option.Option<Redacted.Redacted>
  /** The default account's own webhook secret; none for a derived one. */
  readonly webhookSecret: Option.Option<Redacted.Redacted>
  /** Address ranges that callers' URLs may reach although they are private. */
  readonly allowAddresses: ReadonlyArray<string>
  /** Where files live that are served at the gateway's own links. */
  readonly files: FilesPlace
  /** How long copies are kept of finished videos that upstreams only link to; none: none are made. */
  readonly custody: Option.Option<Duration.Duration>
  /** What may be kept of files that are fetched from upstreams. */
  readonly room: { readonly maxBytes: number | undefined; readonly freeBytes: number | undefined }
  readonly retention: {
    readonly responses: Duration.Duration
    readonly tasks: Duration.Duration
    readonly files: Duration.Duration
    /** Of what became of requests; and how many of these there may be. */
    readonly requests: Duration.Duration
    readonly mostRequests: number
    /** Of bodies that are recorded. */
    readonly bodiesMs: number
  }
  readonly log: {
    /** undefined: text on a terminal, JSON elsewhere. */
    readonly format: "text" | "json" | undefined
    readonly level: "debug" | "info" | "warn" | "error"
  }
  /** What the environment says that is hardly meant, in lines for the operator. */
  readonly warnings: ReadonlyArray<string>
  /** The file as it was read: upstreams, models, keys and search are resolved by those who own them. */
  readonly file: Located<GatewayFile>
  /** Where the file is; none where there is no file. */
  readonly filePath: Option.Option<string>
  /** Whether it is no file but what was applied last in the database (`GATEWAY_CONFIG=postgres`). */
  readonly isStored: boolean
  /** Reads it as it is now. */
  readonly reread: Effect.Effect<Located<GatewayFile>, BadSettings>
  /** Another document, as this process would read it. @param name what messages call it */
  readonly readText: (name: string, text: string) => Either.Either<Located<GatewayFile>, BadSettings>
}

export class Settings extends Context.Tag("gateway/config/Settings")<Settings, GatewaySettings>() {
  /** @param env environment variables by name; `GATEWAY_CONFIG` names the file, else `gateway.yaml` is read if it is there */
  static readonly from = (env: Environment) =>
    Layer.effect(
      Settings,
      Effect.gen(function* () {
        const variables = yield* readEnvironment(env)
        const source = yield* sourceOf(variables, env)
        return yield* settle(env, variables, source, yield* source.read)
      })
    )

  /** For tests: what is not given dies when it is used. */
  static readonly Test = (given: Partial<(typeof Settings)["Service"]>) => testDouble(Settings, given)
}

/** What the file names is looked for from where the file is. */
const besideFile = (path: Option.Option<string>, named: string): string =>
  resolve(dirname(Option.getOrElse(path, () => defaultFile)), named)

/** The folder of a database's file; `data` where there is none. */
const besideDatabase = (url: string): string =>
  isPostgres(url) || url.endsWith(":memory:") ? "data" : dirname(url.slice("sqlite:".length))

const days = (count: number) => Duration.days(count)

const sourceOf = (variables: Variables, env: Environment): Effect.Effect<Source, BadSettings> => {
  if (variables.GATEWAY_CONFIG !== inDatabase) return Effect.succeed(fileSource(variables.GATEWAY_CONFIG, env))
  const url = Option.fromNullable(variables.GATEWAY_DATABASE_URL).pipe(
    Option.map(Redacted.value),
    Option.filter(isPostgres),
    Option.map((url) =>
      variables.GATEWAY_DATABASE_DIRECT_URL === undefined ? url : Redacted.value(variables.GATEWAY_DATABASE_DIRECT_URL)
    )
  )
  return storedSource(Option.getOrUndefined(url), env)
}

/** Both are still read, so that an upgrade does not fail on them. */
const warmUpEnded =
  "GATEWAY_WARM_UP and server.warm_up do nothing any more and will be refused from 2.0 on: remove them"

/** The environment wins over the file. */
const settle = (
  env: Environment,
  variables: Variables,
  { isStored, path, read }: Source,
  file: Located<GatewayFile>
): Either.Either<GatewaySettings, BadSettings> => {
  const { callbacks, custody, database, log, redis, requests, retention, server } = file.value
  const files = typeof file.value.files === "string" ? { at: file.value.files } : (file.value.files ?? {})
  const section = sectionOf(database)
  if (section.url !== undefined && !Schema.is(DatabaseUrl)(Redacted.value(section.url))) {
    const path = Redacted.isRedacted(database) ? ["database"] : ["database", "url"]
    return Either.left(file.complain(path, `${path.join(".")}: ${databaseUrls}`))
  }
  if (variables.GATEWAY_ADMIN_KEY !== undefined && variables.GATEWAY_BOOTSTRAP_KEY === variables.GATEWAY_ADMIN_KEY) {
    return Either.left(new BadSettings({ message: `GATEWAY_BOOTSTRAP_KEY: ${sameAsAdminKey}` }))
  }
  const place = filesPlace(files, dirname(Option.getOrElse(path, () => defaultFile)), variables, env)
  if (Either.isLeft(place)) {
    const isOurs = variables.GATEWAY_FILES === undefined
    return Either.left(
      isOurs
        ? file.complain(["files"], `files: ${place.left}`)
        : new BadSettings({ message: `GATEWAY_FILES: ${place.left}` })
    )
  }
  const databaseUrl = variables.GATEWAY_DATABASE_URL ?? section.url ?? Redacted.make("sqlite:data/gateway.db")
  const pool = poolSettings(variables, section)
  return Either.right({
    server: {
      host: variables.GATEWAY_HOST ?? server?.host ?? "127.0.0.1",
      port: variables.GATEWAY_PORT ?? server?.port ?? 8080,
      publicUrl: Option.fromNullable(variables.GATEWAY_PUBLIC_URL ?? server?.public_url),
      workers: variables.GATEWAY_WORKERS ?? server?.workers ?? 1,
      drainDeadline: Duration.seconds(variables.GATEWAY_DRAIN_SECONDS ?? server?.drain_seconds ?? 25),
      leaveTime: Duration.seconds(variables.GATEWAY_LEAVE_SECONDS ?? server?.leave_seconds ?? 1),
      checkAnswers: variables.GATEWAY_CHECK_ANSWERS ?? false,
      corsOrigins: server?.cors_origins ?? [],
      trustedProxies: server?.trusted_proxies ?? [],
      metrics: variables.GATEWAY_METRICS ?? server?.metrics ?? false,
      tls: Option.map(Option.fromNullable(server?.tls), ({ cert, key }) => ({
        cert: besideFile(path, cert),
        key: besideFile(path, key)
      }))
    },
    databaseUrl,
    pool,
    dataDirectory: variables.GATEWAY_DATA_DIRECTORY ?? besideDatabase(Redacted.value(databaseUrl)),
    secret: Option.fromNullable(variables.GATEWAY_SECRET),
    webhookSecret: Option.fromNullable(variables.GATEWAY_WEBHOOK_SECRET),
    bootstrapKey: Option.map(Option.fromNullable(variables.GATEWAY_BOOTSTRAP_KEY), Redacted.make),
    redisUrl: Option.fromNullable(variables.GATEWAY_REDIS_URL ?? redis?.url),
    adminKey: Option.map(Option.fromNullable(variables.GATEWAY_ADMIN_KEY), Redacted.make),
    allowAddresses: [...(variables.GATEWAY_ALLOW_ADDRESSES?.split(",") ?? []), ...(callbacks?.allow ?? [])]
      .map((range) => range.trim())
      .filter((range) => range !== ""),
    files: place.right,
    custody: Option.fromNullable(custody && spanOf(custody.keep)),
    room: { maxBytes: files.max_bytes, freeBytes: files.free_bytes },
    retention: {
      responses: days(retention?.responses_days ?? 30),
      tasks: days(retention?.tasks_days ?? 7),
      files: Duration.hours(retention?.files_hours ?? 48),
      requests: days(retention?.requests_days ?? 30),
      mostRequests: requests?.max_rows ?? 20_000_000,
      bodiesMs: Duration.toMillis(days(retention?.bodies_days ?? 7))
    },
    log: {
      format: variables.GATEWAY_LOG_FORMAT ?? log?.format,
      level: variables.GATEWAY_LOG ?? log?.level ?? "info"
    },
    warnings: [
      ...environmentWarnings(env, new Set(Object.keys(Variables.fields))),
      ...(variables.GATEWAY_WARM_UP === undefined && server?.warm_up === undefined ? [] : [warmUpEnded]),
      ...(isPostgres(Redacted.value(databaseUrl)) ? poolWarnings(pool) : []),
      ...(isStored ? storedWarnings(file) : [])
    ],
    file,
    filePath: path,
    isStored,
    reread: read,
    readText: (name, text) => readGatewayText(name, text, env)
  })
}

/** Where commands find the database: beside a pooler, where there is one before it. */
export const visitedUrl = ({ databaseUrl, pool }: GatewaySettings): string => {
  const url = Redacted.value(databaseUrl)
  return isPostgres(url) && Option.isSome(pool.directUrl) ? Redacted.value(pool.directUrl.value) : url
}
