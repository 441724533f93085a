import { Either, ParseResult, Schema } from "effect"
import { describe } from "../contract/describe.ts"
import { databaseVariables, isPostgres } from "./databaseSettings.ts"
import { BadSettings } from "./document.ts"
import type { Environment } from "./document.ts"
import { variable } from "./sections/given.ts"
import { LogFormats, LogLevels } from "./sections/values.ts"
import { isInjected } from "./warnings.ts"

const Port = Schema.NumberFromString.pipe(
  Schema.filter((port) => Number.isInteger(port) && port >= 0 && port <= 65_535, {
    message: ({ actual }) => `expected a port number from 0 to 65535; got "${String(actual)}"`
  })
)

export const databaseUrls =
  "expected sqlite:<path>, sqlite::memory: or postgres://<user>:<password>@<host>:<port>/<name>"

export const DatabaseUrl = Schema.String.pipe(
  Schema.filter((url) => (url.startsWith("sqlite:") ? url.length > "sqlite:".length : isPostgres(url)), {
    message: () => databaseUrls
  })
)

const RedisAddress = Schema.String.pipe(
  Schema.pattern(/^(redis|rediss|valkey):\/\/./, { message: () => "expected redis://host:port or rediss://host:port" })
)

const Address = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text), { message: () => "expected an http(s) address" })
)

/** A key that a person chose. */
const OwnKey = Schema.String.pipe(Schema.minLength(24, { message: () => "expected 24 characters or more" }))

/** The environment, as far as it is the gateway's. It wins over the file. */
export const Variables = Schema.Struct({
  GATEWAY_CONFIG: variable(
    Schema.String,
    "The file; `postgres`: what was applied to the database ([in the database](#in-the-database)).",
    "`gateway.yaml`, if it is there"
  ),
  GATEWAY_HOST: variable(Schema.String, "The address to listen on.", "`127.0.0.1`", "server.host"),
  GATEWAY_PORT: variable(Port, "The port.", "`8080`", "server.port"),
  GATEWAY_PUBLIC_URL: variable(Address, "Where clients reach it.", "where it listens", "server.public_url"),
  GATEWAY_WORKERS: variable(
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 256)),
    "Processes that serve the port together, with Postgres ([operations](operations.md#workers)); `serve --workers 4` too.",
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
    "How long new requests are still served before that, while `/readyz` is 503.",
    "`1`",
    "server.leave_seconds"
  ),
  GATEWAY_METRICS: variable(
    Schema.BooleanFromString,
    "Opens `GET /metrics` without a key; the admin key opens it always ([operations](operations.md#metrics)).",
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
    "Where the secret and kept files are.",
    "the folder of SQLite's file, else `data`"
  ),
  GATEWAY_REDIS_URL: variable(
    Schema.Redacted(RedisAddress),
    "Counts the limits of all processes together ([Redis](#redis)).",
    "each process counts its own",
    "redis.url"
  ),
  GATEWAY_FILES: variable(
    Schema.NonEmptyString,
    "`s3://<bucket>/<prefix>` or a folder ([files](#files)).",
    "the data directory",
    "files.at"
  ),
  GATEWAY_FILES_ENDPOINT: variable(Address, "The bucket's server.", "AWS' own", "files.endpoint"),
  GATEWAY_FILES_REGION: variable(
    Schema.NonEmptyString,
    "The bucket's region.",
    "`AWS_REGION`, else `us-east-1`",
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
    "The bucket's key.",
    "`AWS_ACCESS_KEY_ID`, with `AWS_SESSION_TOKEN`",
    "files.access_key_id"
  ),
  GATEWAY_FILES_SECRET_ACCESS_KEY: variable(
    Schema.Redacted(Schema.String),
    "The key itself.",
    "`AWS_SECRET_ACCESS_KEY`",
    "files.secret_access_key"
  ),
  GATEWAY_BOOTSTRAP_KEY: variable(OwnKey, "The first API key, 24 characters or more.", "a random key"),
  GATEWAY_ADMIN_KEY: variable(
    OwnKey,
    "Opens `/admin/v1/`, 24 characters or more ([administration](administration.md)).",
    "there is no admin API"
  ),
  GATEWAY_SECRET: variable(
    Schema.Redacted(Schema.String),
    "What other secrets are derived from.",
    "a file in the data directory"
  ),
  GATEWAY_WEBHOOK_SECRET: variable(Schema.Redacted(Schema.String), "Signs the default account's callbacks.", "derived"),
  GATEWAY_ALLOW_ADDRESSES: variable(
    Schema.String,
    "Private ranges that callers' URLs may reach, comma-separated, beside those of the file.",
    "none",
    "callbacks.allow"
  ),
  GATEWAY_LOG: variable(LogLevels, "The least level of the lines that are written.", "`info`", "log.level"),
  GATEWAY_LOG_FORMAT: variable(
    LogFormats,
    "Of every line of standard output ([logs](operations.md#logs)).",
    "`text` on a terminal, else `json`",
    "log.format"
  ),
  GATEWAY_CHECK_ANSWERS: variable(
    Schema.BooleanFromString,
    "Check every answer against the contract before it leaves.",
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
 * An empty variable is one that was not set; an empty secret is a mistake that must not go unnoticed. What a container
 * platform says of a service named "gateway" is none of ours.
 */
const ours = (env: Environment) =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && (value !== "" || name.endsWith("_SECRET")) && !isInjected(name, value)
    )
  )
