import { dirname, resolve } from "node:path"
import { Context, Duration, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { testDouble } from "../contract/testDouble.ts"
import { isPostgres, poolSettings, poolWarnings, sectionOf } from "./databaseSettings.ts"
import type { Sentinel } from "./sections/Redis.ts"
import type { PoolSettings } from "./databaseSettings.ts"
import { adminAddress, samePortProblem, tlsFiles } from "./adminAddress.ts"
import type { AdminAddress, TlsFiles } from "./adminAddress.ts"
import { BadSettings } from "./document.ts"
import type { Located } from "./document.ts"
import type { Environment } from "./secretVariable.ts"
import { configurationFile, defaultFile, environmentOf, inDatabase, secretFilesOf } from "./environment.ts"
import { secretVariables } from "./secretVariables.ts"
import { filesPlace } from "./filesPlace.ts"
import type { FilesPlace } from "./filesPlace.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { fileSource, readGatewayText, sameAsAdminKey, storedSource, storedWarnings } from "./source.ts"
import type { LoadContext, Source } from "./source.ts"
import { notHere } from "./SecretFiles.ts"
import type { Commands } from "./SecretFiles.ts"
import { proxiesOf } from "./proxies.ts"
import type { ProxyOf } from "./proxies.ts"
import { spanOf } from "./spanOf.ts"
import { DatabaseUrl, databaseUrls, readEnvironment, Variables } from "./variables.ts"
import { signInWarnings } from "./signInWarnings.ts"
import { environmentWarnings } from "./warnings.ts"

/** The operator's settings, read once at start. */
export interface GatewaySettings {
  readonly server: {
    readonly host: string
    readonly port: number
    /** The gateway's address for clients; by default the listening address. */
    readonly publicUrl: Option.Option<string>
    /** Time for running requests and streams to finish during shutdown. */
    readonly drainDeadline: Duration.Duration
    /** Time before that in which new requests are still served while readiness fails. */
    readonly leaveTime: Duration.Duration
    /** Processes that share the port. */
    readonly workers: number
    /** Checks every answer against the contract before sending it. */
    readonly checkAnswers: boolean
    readonly corsOrigins: ReadonlyArray<string>
    /** Address ranges whose `X-Forwarded-For` is trusted. */
    readonly trustedProxies: ReadonlyArray<string>
    /** Serves `GET /metrics` without a key; the admin key always opens it. */
    readonly metrics: boolean
    /** The certificate's files; without them the gateway speaks HTTP. */
    readonly tls: Option.Option<TlsFiles>
    /** The operators' own address; none if the public one has their part too. */
    readonly admin: Option.Option<AdminAddress>
  }
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>:<port>/<name>`. */
  readonly databaseUrl: Redacted.Redacted
  /** Applies to Postgres only. */
  readonly pool: PoolSettings
  /** The operator's first API key. */
  readonly bootstrapKey: Option.Option<Redacted.Redacted>
  /** Opens the admin API; without it, the admin API is off. */
  readonly adminKey: Option.Option<Redacted.Redacted>
  /** Counts limits across all processes; without it, each process counts on its own. */
  readonly redisUrl: Option.Option<Redacted.Redacted>
  /** The same behind sentinels, if there is no address. */
  readonly redisSentinel: Option.Option<Sentinel>
  /** Holds what is not in the database: the master secret, rendered files. By default beside the database file. */
  readonly dataDirectory: string
  /** The master secret; by default a file in the data directory. */
  readonly secret: Option.Option<Redacted.Redacted>
  /** The default account's webhook secret; by default derived from the master secret. */
  readonly webhookSecret: Option.Option<Redacted.Redacted>
  /** Private address ranges that callers' URLs may reach. */
  readonly allowAddresses: ReadonlyArray<string>
  /** Storage of the files that the gateway serves. */
  readonly files: FilesPlace
  /** How long copies of finished videos that upstreams only link to are kept; by default no copies are made. */
  readonly custody: Option.Option<Duration.Duration>
  /** Bounds on files that are fetched from upstreams. */
  readonly room: { readonly maxBytes: number | undefined; readonly freeBytes: number | undefined }
  readonly retention: {
    readonly responses: Duration.Duration
    readonly tasks: Duration.Duration
    readonly batches: Duration.Duration
    readonly files: Duration.Duration
    /** Of accounts' files; Infinity if they stay until they are deleted. */
    readonly storedFilesMs: number
    /** Of request rows, with their maximum number. */
    readonly requests: Duration.Duration
    readonly mostRequests: number
    /** Of recorded bodies. */
    readonly bodiesMs: number
    /** Of usage rows and the audit log; none if they are kept for ever. */
    readonly usage: Option.Option<Duration.Duration>
    readonly audit: Option.Option<Duration.Duration>
  }
  readonly log: {
    /** By default text on a terminal, otherwise JSON. */
    readonly format: "text" | "json" | undefined
    readonly level: "debug" | "info" | "warn" | "error"
  }
  /** Likely mistakes in the environment, one line each. */
  readonly warnings: ReadonlyArray<string>
  /** The file as read; its upstreams, models, keys and search are resolved by their own rooms. */
  readonly file: LoadedFile
  /** Path of the file, if there is one. */
  readonly filePath: Option.Option<string>
  /** The configuration is the one last applied to the database (`GATEWAY_CONFIG=postgres`). */
  readonly isStored: boolean
  /** Reads the configuration again. */
  readonly reread: Effect.Effect<LoadedFile, BadSettings>
  /** Reads another document with this process's environment. @param name for error messages */
  readonly readText: (name: string, text: string) => Effect.Effect<Located<GatewayFile>, BadSettings>
  /** The proxy of a call that is no upstream's. */
  readonly proxyOf: ProxyOf
  /** The proxy of a call to a caller's URL. */
  readonly callerProxyOf: ProxyOf
  /** The environment with the variables of `gateway.env`, which may hold secrets. */
  readonly environment: Environment
}

/** A configuration with the gateway's variables, read with it. */
export interface LoadedFile extends Located<GatewayFile> {
  readonly variables?: Variables
}

export class Settings extends Context.Tag("gateway/config/Settings")<Settings, GatewaySettings>() {
  /**
   * @param given environment variables by name; `GATEWAY_CONFIG` names the file, otherwise `gateway.yaml` is read if it
   *   exists. Those of `gateway.env` beside it are added.
   * @param needsSecrets false for a command that asks no upstream: secrets that only upstreams need may be missing
   * @param commands `skip`: secrets that commands print are not needed either
   */
  static readonly from = (given: Environment, needsSecrets = true, commands: Commands = "run") =>
    Layer.effect(
      Settings,
      Effect.gen(function* () {
        const read = environmentOf(given, configurationFile(given))
        const env = yield* read
        const variables = yield* readEnvironment(env)
        const context = Effect.map(read, (env) => ({ env, needsSecrets }))
        const source = yield* sourceOf(variables, context, commands)
        const readAll = Effect.gen(function* () {
          // Looked at before they are read, so that a change meanwhile is one.
          const named = yield* secretFilesOf(given, configurationFile(given))
          const variables = yield* Effect.flatMap(read, readEnvironment)
          const file = yield* source.read
          return { ...file, variables, files: new Map([...named, ...(file.files ?? [])]) }
        })
        return yield* settle(env, variables, { ...source, commands, context, read: readAll }, yield* readAll)
      })
    )

  /** For tests: using a missing member dies. */
  static readonly Test = (given: Partial<(typeof Settings)["Service"]>) => testDouble(Settings, given)
}

/** The folder of the database file; `data` without one. */
const besideDatabase = (url: string): string =>
  isPostgres(url) || url.endsWith(":memory:") ? "data" : dirname(url.slice("sqlite:".length))

const days = (count: number) => Duration.days(count)

const sourceOf = (
  variables: Variables,
  context: LoadContext,
  commands: Commands
): Effect.Effect<Source, BadSettings> => {
  if (variables.GATEWAY_CONFIG !== inDatabase) {
    return Effect.succeed(fileSource(variables.GATEWAY_CONFIG, context, commands))
  }
  const url = Option.fromNullable(variables.GATEWAY_DATABASE_URL).pipe(
    Option.map(Redacted.value),
    Option.filter(isPostgres),
    Option.map((url) =>
      variables.GATEWAY_DATABASE_DIRECT_URL === undefined ? url : Redacted.value(variables.GATEWAY_DATABASE_DIRECT_URL)
    )
  )
  return storedSource(Option.getOrUndefined(url), context)
}

const direct: ProxyOf = () => undefined

/** Both are still accepted, so that an upgrade does not fail on them. */
const warmUpEnded = "GATEWAY_WARM_UP and server.warm_up no longer do anything and are refused from 2.0 on: remove them"

interface Loading {
  readonly commands: Commands
  readonly context: LoadContext
}

/** The environment wins over the file. */
const settle = (
  env: Environment,
  variables: Variables,
  { commands, context, isStored, path, read }: Source & Loading,
  file: Located<GatewayFile>
): Either.Either<GatewaySettings, BadSettings> => {
  const { callbacks, custody, database, log, redis, requests, retention, server } = file.value
  const files = typeof file.value.files === "string" ? { at: file.value.files } : (file.value.files ?? {})
  const section = sectionOf(database)
  const isUnknown = commands === "skip" && section.url !== undefined && Redacted.value(section.url) === notHere
  if (section.url !== undefined && !isUnknown && !Schema.is(DatabaseUrl)(Redacted.value(section.url))) {
    const path = Redacted.isRedacted(database) ? ["database"] : ["database", "url"]
    const rule = Redacted.value(section.url) === notHere ? "its file can't be read" : databaseUrls
    return Either.left(file.complain(path, `${path.join(".")}: ${rule}`))
  }
  if (variables.GATEWAY_ADMIN_KEY !== undefined && variables.GATEWAY_BOOTSTRAP_KEY === variables.GATEWAY_ADMIN_KEY) {
    return Either.left(new BadSettings({ message: `GATEWAY_BOOTSTRAP_KEY: ${sameAsAdminKey}` }))
  }
  const folder = dirname(Option.getOrElse(path, () => defaultFile))
  const place = filesPlace(files, folder, variables, env)
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
  const beside = (named: string) => resolve(folder, named)
  const port = variables.GATEWAY_PORT ?? server?.port ?? 8080
  const admin = adminAddress(variables, server?.admin, beside)
  const samePort = Option.flatMap(admin, (admin) => samePortProblem({ port, admin, variables, file }))
  if (Option.isSome(samePort)) return Either.left(samePort.value)
  const proxyOf = Either.getOrElse(proxiesOf(env, file.value.proxy), () => direct)
  return Either.right({
    server: {
      host: variables.GATEWAY_HOST ?? server?.host ?? "127.0.0.1",
      port,
      publicUrl: Option.fromNullable(variables.GATEWAY_PUBLIC_URL ?? server?.public_url),
      workers: variables.GATEWAY_WORKERS ?? server?.workers ?? 1,
      drainDeadline: Duration.seconds(variables.GATEWAY_DRAIN_SECONDS ?? server?.drain_seconds ?? 25),
      leaveTime: Duration.seconds(variables.GATEWAY_LEAVE_SECONDS ?? server?.leave_seconds ?? 1),
      checkAnswers: variables.GATEWAY_CHECK_ANSWERS ?? false,
      corsOrigins: server?.cors_origins ?? [],
      trustedProxies: server?.trusted_proxies ?? [],
      metrics: variables.GATEWAY_METRICS ?? server?.metrics ?? false,
      tls: tlsFiles(server?.tls, beside),
      admin
    },
    databaseUrl,
    pool,
    dataDirectory: variables.GATEWAY_DATA_DIRECTORY ?? besideDatabase(Redacted.value(databaseUrl)),
    secret: Option.fromNullable(variables.GATEWAY_SECRET),
    webhookSecret: Option.fromNullable(variables.GATEWAY_WEBHOOK_SECRET),
    bootstrapKey: Option.map(Option.fromNullable(variables.GATEWAY_BOOTSTRAP_KEY), Redacted.make),
    redisUrl: Option.fromNullable(variables.GATEWAY_REDIS_URL ?? redis?.url),
    redisSentinel: Option.fromNullable(variables.GATEWAY_REDIS_URL === undefined ? redis?.sentinel : undefined),
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
      batches: days(retention?.batches_days ?? 29),
      files: Duration.hours(retention?.files_hours ?? 48),
      storedFilesMs: retention?.files_days === undefined ? Infinity : Duration.toMillis(days(retention.files_days)),
      requests: days(retention?.requests_days ?? 30),
      mostRequests: requests?.max_rows ?? 20_000_000,
      bodiesMs: Duration.toMillis(days(retention?.bodies_days ?? 7)),
      usage: Option.map(Option.fromNullable(retention?.usage_days), days),
      audit: Option.map(Option.fromNullable(retention?.audit_days), days)
    },
    log: {
      format: variables.GATEWAY_LOG_FORMAT ?? log?.format,
      level: variables.GATEWAY_LOG ?? log?.level ?? "info"
    },
    warnings: [
      ...environmentWarnings(
        env,
        new Set([...Object.keys(Variables.fields), ...secretVariables.map((name) => `${name}_FILE`)])
      ),
      ...(variables.GATEWAY_WARM_UP === undefined && server?.warm_up === undefined ? [] : [warmUpEnded]),
      ...(isPostgres(Redacted.value(databaseUrl)) ? poolWarnings(pool) : []),
      ...signInWarnings(file.value),
      ...(isStored ? storedWarnings(file) : [])
    ],
    file,
    filePath: path,
    isStored,
    reread: read,
    readText: (name, text) => Effect.flatMap(context, (context) => readGatewayText(name, text, context)),
    proxyOf,
    callerProxyOf: callbacks?.proxy === true ? proxyOf : direct,
    environment: env
  })
}

/** The database URL for commands: the direct one if the database is behind a pooler. */
export const visitedUrl = ({ databaseUrl, pool }: GatewaySettings): string => {
  const url = Redacted.value(databaseUrl)
  return isPostgres(url) && Option.isSome(pool.directUrl) ? Redacted.value(pool.directUrl.value) : url
}
