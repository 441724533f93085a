import { accessSync, closeSync, constants, existsSync, openSync, readSync } from "node:fs"
import { dirname } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-bun"
import { Cause, Effect, Layer, Option } from "effect"
import { makeOwnFile, ownDirectory, ownFiles } from "../../config/ownFiles.ts"
import { DatabaseUnavailable } from "../DatabaseUnavailable.ts"
import { errorCode } from "../errorCode.ts"
import { latestVersion, migrate, storedVersion, whyNotMigrated } from "../migrations.ts"
import type { Schemas } from "../migrations.ts"
import { makeClient } from "./Client.ts"

interface Options {
  /** A path, or `:memory:`. */
  readonly filename: string
  /** True for the file's one server, which locks it. Commands connect briefly and pass false. */
  readonly exclusive: boolean
}

/** SQLite, in a file or in memory, as `sql/Database.ts` opens it. */
export const layer = ({ exclusive, filename }: Options): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      if (filename !== ":memory:") {
        yield* kept(filename)
        if (exclusive) yield* lock(filename, 250)
      }
      const client = Layer.provide(Layer.scoped(SqlClient.SqlClient, makeClient(filename)), Reactivity.layer)
      return prepared(filename, exclusive).pipe(
        Layer.provideMerge(client),
        Layer.catchAllCause((cause) =>
          Layer.fail(
            Option.getOrElse(Option.filter(Cause.failureOption(cause), isUnavailable), () =>
              unavailable(filename, cause.toString().split("\n")[0] ?? "")
            )
          )
        )
      )
    })
  )

/** The file and a new directory are readable by their owner only; SQLite gives the files beside it the same mode. */
const kept = (filename: string) =>
  Effect.all([
    ownDirectory(dirname(filename)),
    Effect.suspend(() =>
      isForeign(filename) ? Effect.void : ownFiles(filename, `${filename}-wal`, `${filename}-shm`, `${filename}.lock`)
    ),
    Effect.sync(() => makeOwnFile(filename)),
    Effect.sync(() => makeOwnFile(`${filename}.lock`))
  ]).pipe(
    Effect.catchAllDefect((cause) =>
      Effect.fail(unavailable(filename, cause instanceof Error ? cause.message : String(cause)))
    )
  )

/** True if the file is not a database: opening it fails, and its mode stays unchanged. */
const isForeign = (filename: string): boolean => {
  if (!existsSync(filename)) return false
  const file = openSync(filename, "r")
  try {
    const header = Buffer.alloc(16)
    const length = readSync(file, header)
    return length > 0 && header.toString("latin1") !== "SQLite format 3\0"
  } finally {
    closeSync(file)
  }
}

/** The schema version of a file, and the version that this gateway migrates to; 0 if there is no file. */
export const schemasOf = (filename: string): Effect.Effect<Schemas, DatabaseUnavailable> =>
  Effect.suspend(() => {
    try {
      accessSync(filename, constants.R_OK)
    } catch (cause) {
      const code = errorCode(cause)
      return code === "ENOENT"
        ? Effect.succeed({ place: filename, stored: 0, known: latestVersion })
        : Effect.fail(unavailable(filename, `it can't be read (${code})`))
    }
    return Effect.provide(
      storedVersion,
      SqliteClient.layer({ filename, create: false, readwrite: true, disableWAL: true })
    ).pipe(
      Effect.map((stored) => ({ place: filename, stored, known: latestVersion })),
      Effect.catchAllCause((cause) => Effect.fail(unavailable(filename, cause.toString().split("\n")[0] ?? "")))
    )
  })

/** True if a gateway serves from this file now. */
export const isServed = (filename: string): Effect.Effect<boolean> =>
  filename === ":memory:" || !existsSync(`${filename}.lock`)
    ? Effect.succeed(false)
    : Effect.scoped(lock(filename)).pipe(
        Effect.as(false),
        Effect.catchAll(() => Effect.succeed(true))
      )

const isUnavailable = (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable

const unavailable = (filename: string, why: string) =>
  new DatabaseUnavailable({ message: `database ${filename} can't be opened: ${why}` })

/**
 * `busy_timeout`: commands may write beside the server for a moment. `synchronous = FULL`: tasks and money survive a
 * power cut; `Commits` shares each fsync among many requests, or runs it on another thread (`LogSync`). SQLite
 * checkpoints once the log has 32 MB: fewer pauses than with its default of 4 MB.
 */
const prepared = (filename: string, exclusive: boolean) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`PRAGMA busy_timeout = 5000`
      yield* sql`PRAGMA synchronous = FULL`
      yield* sql`PRAGMA wal_autocheckpoint = 8000`
      yield* sql`PRAGMA foreign_keys = ON`
      const version = yield* storedVersion
      const refused = whyNotMigrated(version)
      if (refused !== undefined) return yield* new DatabaseUnavailable({ message: `database ${filename} ${refused}` })
      if (version < latestVersion) yield* exclusive || filename === ":memory:" ? migrate : visited(filename, version)
    })
  )

/** A command migrates the schema only if no server is running, and logs it. */
const visited = (filename: string, version: number) =>
  Effect.scoped(
    lock(filename).pipe(
      Effect.mapError(
        () =>
          new DatabaseUnavailable({
            message: `database ${filename} has schema ${version}, and a gateway of that version runs on it: restart it with this version (schema ${latestVersion}) first`
          })
      ),
      Effect.zipRight(migrate),
      Effect.zipRight(
        Effect.when(
          Effect.logInfo(`database ${filename}: migrated from schema ${version} to schema ${latestVersion}`),
          () => version > 0
        )
      )
    )
  )

/**
 * One server per file. The lock is SQLite's own, on a file beside the database, so that the kernel frees it however the
 * holder dies, and backups and commands can still read the database itself. A command holds it briefly to check for a
 * server; a server that starts at that moment waits for it.
 */
export const lock = (filename: string, patienceMs = 0) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const holder = new SqliteFile(`${filename}.lock`, { create: true })
      try {
        holder.run(`PRAGMA busy_timeout = ${patienceMs}`)
        holder.run("PRAGMA journal_mode = MEMORY")
        holder.run("PRAGMA synchronous = OFF")
        // In this mode the lock of the first write is kept until the file is closed.
        holder.run("PRAGMA locking_mode = EXCLUSIVE")
        holder.run(`PRAGMA user_version = ${process.pid}`)
        return Effect.succeed(holder)
      } catch {
        holder.close()
        const pid = holderOf(`${filename}.lock`)
        const process = pid === 0 ? "" : ` (process ${pid})`
        return Effect.fail(
          new DatabaseUnavailable({ message: `database ${filename} is in use by another gateway${process}` })
        )
      }
    }),
    (holder) => Effect.sync(() => holder.close())
  )

/** The process that wrote a file's `user_version`, read from its header, since the file itself is locked; 0 if unknown. */
const holderOf = (filename: string): number => {
  const file = openSync(filename, "r")
  try {
    const version = Buffer.alloc(4)
    readSync(file, version, 0, 4, userVersionAt)
    return version.readUInt32BE()
  } finally {
    closeSync(file)
  }
}

/** Its offset in SQLite's file format. */
const userVersionAt = 60
