import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-bun"
import { Cause, Data, Effect, Layer, Option } from "effect"
import { latestVersion, migrate, storedVersion } from "./migrations.ts"

/** The database can't be opened; the message is one line for the operator. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{ readonly message: string }> {}

interface Options {
  /** `sqlite:<path>` or `sqlite::memory:`. */
  readonly url: string
  /** The one server of a file holds it; commands that only visit don't. */
  readonly exclusive: boolean
}

/**
 * Opens the database, brings its schema up to date and, for a server, keeps every second server off its file. A schema
 * of a newer gateway is refused; so is, for a visitor, an older one while a server works with it.
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const filename = yield* filenameOf(options.url)
      if (filename !== ":memory:") {
        yield* attempt(filename, () => mkdirSync(dirname(filename), { recursive: true }))
        if (options.exclusive) yield* lock(filename, 250)
      }
      const client = SqliteClient.layer({ filename })
      return prepared(filename, options.exclusive).pipe(
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

/** Whether a gateway serves from this database now. */
export const isServed = (url: string): Effect.Effect<boolean, DatabaseUnavailable> =>
  Effect.flatMap(filenameOf(url), (filename) =>
    filename === ":memory:" || !existsSync(`${filename}.lock`)
      ? Effect.succeed(false)
      : Effect.scoped(lock(filename)).pipe(
          Effect.as(false),
          Effect.catchAll(() => Effect.succeed(true))
        )
  )

/** The file of a database; none for one in memory. */
export const fileOf = (url: string): Effect.Effect<Option.Option<string>, DatabaseUnavailable> =>
  Effect.map(filenameOf(url), (filename) => (filename === ":memory:" ? Option.none() : Option.some(filename)))

const isUnavailable = (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable

const filenameOf = (url: string) =>
  url.startsWith("sqlite:") && url.length > "sqlite:".length
    ? Effect.succeed(url.slice("sqlite:".length))
    : Effect.fail(
        new DatabaseUnavailable({ message: `database: expected sqlite:<path> or sqlite::memory:; got "${url}"` })
      )

const unavailable = (filename: string, why: string) =>
  new DatabaseUnavailable({ message: `database ${filename} can't be opened: ${why}` })

const attempt = <A>(filename: string, open: () => A) =>
  Effect.try({ try: open, catch: (cause) => unavailable(filename, cause instanceof Error ? cause.message : "") })

/**
 * `busy_timeout`: commands of the gateway may write beside the server for a moment. `synchronous = FULL`: tasks and
 * money survive a power cut; `Commits` makes that one fsync for many requests, or another thread's (`LogSync`).
 * A checkpoint copies and syncs on the one thread: it comes at 32 MB of log, not at four.
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
      if (version > latestVersion) {
        return yield* new DatabaseUnavailable({
          message: `database ${filename} belongs to a newer gateway (schema ${version}); this one knows schema ${latestVersion}`
        })
      }
      if (version < latestVersion) yield* exclusive || filename === ":memory:" ? migrate : visited(filename, version)
    })
  )

/** A visitor brings the schema up to date only where no server works with it, and says so. */
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
          Effect.logInfo(`database ${filename}: brought from schema ${version} to schema ${latestVersion}`),
          () => version > 0
        )
      )
    )
  )

/**
 * One server a file. The lock is an exclusive transaction on a file beside the database, so that the kernel frees it
 * however the holder dies, and so that backups and commands can still read the database itself. A command holds it for
 * a moment, to see whether a server runs: what starts just then waits for it.
 */
const lock = (filename: string, patienceMs = 0) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const holder = new SqliteFile(`${filename}.lock`, { create: true })
      try {
        holder.run(`PRAGMA busy_timeout = ${patienceMs}`)
        holder.run("BEGIN EXCLUSIVE")
        return Effect.succeed(holder)
      } catch {
        holder.close()
        return Effect.fail(
          new DatabaseUnavailable({ message: `database ${filename} is in use by another gateway process` })
        )
      }
    }),
    (holder) => Effect.sync(() => holder.close())
  )
