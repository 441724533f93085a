import { Either, ParseResult, Schema } from "effect"
import { describe } from "../contract/describe.ts"
import { databaseVariables, encoded, isPostgres } from "./databaseSettings.ts"
import { BadSettings } from "./document.ts"
import type { Environment } from "./secretVariable.ts"
import { variable } from "./sections/fields.ts"
import { LogFormats, LogLevels, PublicAddress, RedisUrl } from "./sections/values.ts"
import { isInjected } from "./warnings.ts"

const Port = Schema.NumberFromString.pipe(
  Schema.filter((port) => Number.isInteger(port) && port >= 0 && port <= 65_535, {
    message: ({ actual }) => `expected a port number from 0 to 65535; got "${String(actual)}"`
  })
)

export const databaseUrls = `expected sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<name>${encoded}`

export const DatabaseUrl = Schema.String.pipe(
  Schema.filter((url) => (url.startsWith("sqlite:") ? url.length > "sqlite:".length : isPostgres(url)), {
    message: () => databaseUrls
  })
)

const Address = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text), { message: () => "expected an http(s) address" })
)

/** A key chosen by the operator. */
const OwnKey = Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))

/** The gateway's environment variables. They win over the file. */
export const Variables = Schema.Struct({
  GATEWAY_CONFIG: variable(
    Schema.String,
    "The configuration file; `postgres`: the configuration [in the database](#in-the-database).",
    "`gateway.yaml`, if it exists"
  ),
  GATEWAY_HOST: variable(Schema.String, "The address to listen on.", "`127.0.0.1`", "server.host"),
  GATEWAY_PORT: variable(Port, "The port.", "`8080`", "server.port"),
  GATEWAY_PUBLIC_URL: variable(
    PublicAddress,
    "The gateway's address for clients.",
    "the listening address",
    "server.public_url"
  ),
  GATEWAY_ADMIN_HOST: variable(
    Schema.String,
    "The address to listen on for [operators alone](operations.md#an-address-for-operators). Each of these three variables makes it a separate one.",
    "`127.0.0.1`",
    "server.admin.host"
  ),
  GATEWAY_ADMIN_PORT: variable(Port, "Its port.", "`8081`", "server.admin.port"),
  GATEWAY_ADMIN_PUBLIC_URL: variable(
    PublicAddress,
    "The same address as operators' browsers reach it.",
    "the listening address",
    "server.admin.public_url"
  ),
  GATEWAY_WORKERS: variable(
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 256)),
    "Processes that share the port, with Postgres ([operations](operations.md#workers)); same as `serve --workers 4`.",
    "`1`",
    "server.workers"
  ),
  GATEWAY_WARM_UP: variable(
    Schema.BooleanFromString,
    "Does nothing: the gateway no longer warms up. Refused from 2.0 on.",
    "",
    "server.warm_up"
  ),
  GATEWAY_DRAIN_SECONDS: variable(
    Schema.NumberFromString.pipe(Schema.between(0, 3_600)),
    "How long running requests may go on after SIGTERM.",
    "`25`",
    "server.drain_seconds"
  ),
  GATEWAY_LEAVE_SECONDS: variable(
    Schema.NumberFromString.pipe(Schema.between(0, 600)),
    "How long new requests are still served after SIGTERM, while `/readyz` is 503; then the drain begins.",
    "`1`",
    "server.leave_seconds"
  ),
  GATEWAY_METRICS: variable(
    Schema.BooleanFromString,
    "Serves `GET /metrics` without a key; the admin key always opens it ([operations](operations.md#metrics)).",
    "`false`",
    "server.metrics"
  ),
  GATEWAY_DATABASE_URL: variable(
    Schema.Redacted(DatabaseUrl),
    "`sqlite:<path>`, `sqlite::memory:` or `postgres://<user>:<password>@<host>:<port>/<name>` ([operations](operations.md#postgres)).",
    "`sqlite:data/gateway.db`",
    "database.url"
  ),
  ...databaseVariables,
  GATEWAY_DATA_DIRECTORY: variable(
    Schema.NonEmptyString,
    "The folder of the master secret and of stored files.",
    "the folder of the SQLite file, otherwise `data`"
  ),
  GATEWAY_REDIS_URL: variable(
    Schema.Redacted(RedisUrl),
    "A Redis that counts limits across all processes ([Redis](#redis)).",
    "each process counts on its own",
    "redis.url"
  ),
  GATEWAY_FILES: variable(
    Schema.NonEmptyString,
    "`s3://<bucket>/<prefix>` or a folder ([files](#files)).",
    "the data directory",
    "files.at"
  ),
  GATEWAY_FILES_ENDPOINT: variable(Address, "The bucket's server.", "AWS", "files.endpoint"),
  GATEWAY_FILES_REGION: variable(
    Schema.NonEmptyString,
    "The bucket's region.",
    "`AWS_REGION`, otherwise `us-east-1`",
    "files.region"
  ),
  GATEWAY_FILES_PATH_STYLE: variable(
    Schema.BooleanFromString,
    "Whether the bucket is in the path.",
    "`true`",
    "files.path_style"
  ),
  GATEWAY_FILES_ACCESS_KEY_ID: variable(
    Schema.Redacted(Schema.String),
    "The access key's id.",
    "`AWS_ACCESS_KEY_ID`, with `AWS_SESSION_TOKEN`",
    "files.access_key_id"
  ),
  GATEWAY_FILES_SECRET_ACCESS_KEY: variable(
    Schema.Redacted(Schema.String),
    "The access key's secret.",
    "`AWS_SECRET_ACCESS_KEY`",
    "files.secret_access_key"
  ),
  GATEWAY_BOOTSTRAP_KEY: variable(OwnKey, "The first API key, 24 characters or more.", "a random key"),
  GATEWAY_ADMIN_KEY: variable(
    OwnKey,
    "The key of `/admin/v1/`, 24 characters or more ([administration](administration.md)).",
    "no admin API"
  ),
  GATEWAY_SECRET: variable(
    Schema.Redacted(Schema.String),
    "The master secret, from which other secrets are derived.",
    "a file in the data directory"
  ),
  GATEWAY_WEBHOOK_SECRET: variable(Schema.Redacted(Schema.String), "Signs the default account's callbacks.", "derived"),
  GATEWAY_ALLOW_ADDRESSES: variable(
    Schema.String,
    "Private address ranges that callers' URLs may reach, comma-separated, in addition to those of the file.",
    "none",
    "callbacks.allow"
  ),
  GATEWAY_LOG: variable(LogLevels, "The lowest level that is logged.", "`info`", "log.level"),
  GATEWAY_LOG_FORMAT: variable(
    LogFormats,
    "The format of [logs](operations.md#logs) on standard output.",
    "`text` on a terminal, otherwise `json`",
    "log.format"
  ),
  GATEWAY_CHECK_ANSWERS: variable(
    Schema.BooleanFromString,
    "Check every answer against the contract before sending it.",
    "`false`"
  )
})
export type Variables = typeof Variables.Type

export const readEnvironment = (env: Environment): Either.Either<Variables, BadSettings> =>
  Either.mapLeft(
    ParseResult.decodeUnknownEither(Variables)(ours(env)),
    (issue) => new BadSettings({ message: describe(issue).message })
  )

/**
 * Drops empty variables, which count as unset, but not empty secrets, which are refused. Drops variables that a container
 * platform injects for a service named "gateway".
 */
const ours = (env: Environment) =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== "" || name.endsWith("_SECRET")) && !isInjected(name, value)
    )
  )
