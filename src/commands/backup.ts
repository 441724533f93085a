import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Args, Command } from "@effect/cli"
import { Console, Effect, Option, Redacted } from "effect"
import { version } from "../../package.json"
import { Conflict } from "../contract/failures/Failure.ts"
import { Settings } from "../config/Settings.ts"
import * as Database from "../sql/Database.ts"
import { backUp, BackupFailed, inspect, keptAs, putBack } from "../sql/sqlite/backup.ts"
import type { Backup } from "../sql/sqlite/backup.ts"
import { lock } from "../sql/sqlite/Database.ts"
import { help, json, print } from "./options.ts"
import { CommandSettings } from "./settings.ts"
import { leaf } from "./frame/leaf.ts"

const file = Args.text({ name: "file" })

const copyTo = Effect.fn(function* (given: string, asJson: boolean) {
  const { database, settings } = yield* here
  const path = resolve(given)
  if (!existsSync(database)) {
    return yield* new BackupFailed({
      message: `there is no database ${database}; run this command where the gateway runs, or set GATEWAY_DATABASE_URL`
    })
  }
  if (existsSync(path)) return yield* new Conflict({ code: null, message: `${given} already exists` })
  yield* Effect.sync(lowerPriority)
  yield* Console.error(`gateway: copying ${database} and verifying the copy …`)
  const made = yield* backUp(database, path, { version, secret: secretOf(settings) })
  yield* print(asJson, record(given, made), () =>
    [
      `${given}: ${shown(made)}; verified.`,
      made.secret === undefined
        ? "The gateway's secret is not in it: keep GATEWAY_SECRET yourself."
        : "The gateway's secret is in it: keep the file private.",
      `Restore it with: gateway restore ${given}`
    ].join("\n")
  )
})

const putInPlace = Effect.fn(function* (given: string, asJson: boolean) {
  const { database, settings } = yield* here
  const contents = yield* inspect(resolve(given))
  const now = new Date()
  yield* Effect.try({
    try: () => mkdirSync(dirname(database), { recursive: true, mode: 0o700 }),
    catch: (cause) => new BackupFailed({ message: `${dirname(database)} can't be created: ${String(cause)}` })
  })
  // The lock keeps a gateway from starting before the secret is restored: it would generate a new one.
  const { former, formerSecret } = yield* Effect.scoped(
    lock(database).pipe(
      Effect.mapError(() => new Conflict({ code: null, message: `a gateway serves from ${database}: stop it first` })),
      Effect.zipRight(
        Effect.all({
          former: putBack(resolve(given), database, now),
          formerSecret: putSecretBack(settings, contents, now)
        })
      )
    )
  )
  const formers = { former: former ?? null, former_secret: formerSecret ?? null }
  yield* print(asJson, { ...record(given, contents), ...formers }, () =>
    [
      `${database} is the backup of ${contents.madeAt}: ${shown(contents)}.`,
      ...[former, formerSecret].flatMap((path) => (path === undefined ? [] : [`The former file is kept as ${path}`])),
      "Start it with: gateway serve"
    ].join("\n")
  )
})

/** The settings and the file of the SQLite database; fails on Postgres. */
const here = Effect.gen(function* () {
  const settings = yield* Settings
  const database = yield* Database.fileOf(Redacted.value(settings.databaseUrl))
  if (Option.isSome(database)) return { settings, database: database.value }
  return yield* new BackupFailed({
    message: "gateway backup and restore need a SQLite database; use pg_dump with Postgres"
  })
}).pipe(Effect.provide(CommandSettings))

/** A gateway that serves on this machine has priority over the copy. */
const lowerPriority = (): void => {
  try {
    setPriority(19)
  } catch {
    // Unsupported or not permitted.
  }
}

type SettingsShape = (typeof Settings)["Service"]

const secretFile = ({ dataDirectory }: SettingsShape) => join(dataDirectory, "secret")

const secretOf = (settings: SettingsShape): Redacted.Redacted | undefined => {
  const path = secretFile(settings)
  return Option.isSome(settings.secret) || !existsSync(path)
    ? undefined
    : Redacted.make(readFileSync(path, "utf8").trim())
}

/** Restores the secret. Renames a different secret that is there, and gives its new path. */
const putSecretBack = (settings: SettingsShape, { secret }: Backup, now: Date) =>
  Effect.try({
    try: () => {
      if (secret === undefined || Option.isSome(settings.secret)) return undefined
      const path = secretFile(settings)
      const known = secretOf(settings)
      if (known !== undefined && Redacted.value(known) === Redacted.value(secret)) return undefined
      const former = known === undefined ? undefined : keptAs(path, now)
      if (former !== undefined) renameSync(path, former)
      writeFileSync(path, `${Redacted.value(secret)}\n`, { mode: 0o600, flush: true })
      return former
    },
    catch: () => new BackupFailed({ message: `${secretFile(settings)}: the gateway's secret can't be put back` })
  })

const record = (file: string, { madeAt, madeBy, rows, schema, secret, size, tables }: Backup) => ({
  file,
  size,
  schema,
  tables,
  rows,
  made_at: madeAt,
  made_by: madeBy,
  has_secret: secret !== undefined
})

const shown = ({ rows, schema, size, tables }: Backup): string =>
  `${(size / 1_000_000).toFixed(1)} MB, ${rows.toLocaleString("en")} rows in ${tables} tables, schema ${schema}`

const backup = Command.make(
  "backup",
  { file: file.pipe(Args.withDescription("The file to create; an existing file is not overwritten.")), json },
  (given) => copyTo(given.file, given.json)
).pipe(
  Command.withDescription(
    help(
      "Copy the database with the gateway's secret, and verify the copy. The gateway may be running.",
      "gateway backup gateway-monday.db"
    )
  )
)

const restore = Command.make(
  "restore",
  { file: file.pipe(Args.withDescription("A file that `gateway backup` made.")), json },
  (given) => putInPlace(given.file, given.json)
).pipe(
  Command.withDescription(
    help(
      "Replace the database with a backup, while no gateway runs. The former database is kept beside it.",
      "gateway restore gateway-monday.db"
    )
  )
)

export const backupCommand = leaf(backup)

export const restoreCommand = leaf(restore)
