import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { SqliteClient } from "@effect/sql-sqlite-bun"
import { Data, Effect, Layer } from "effect"
import { migrate } from "./migrations.ts"

/** The database can't be opened; the message is one line for the operator. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{ readonly message: string }> {}

interface Options {
  /** `sqlite:<path>` or `sqlite::memory:`. */
  readonly url: string
  /** The one server of a file holds it; commands that only visit don't. */
  readonly exclusive: boolean
}

/** Opens the database, brings its schema up to date and, for a server, keeps every second server off its file. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const filename = yield* filenameOf(options.url)
      if (filename !== ":memory:") {
        yield* attempt(filename, () => mkdirSync(dirname(filename), { recursive: true }))
        if (options.exclusive) yield* lock(filename)
      }
      const client = SqliteClient.layer({ filename })
      return prepared.pipe(
        Layer.provideMerge(client),
        Layer.catchAllCause((cause) => Layer.fail(unavailable(filename, cause.toString().split("\n")[0] ?? "")))
      )
    })
  )

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
 * money survive a power cut; `Commits` makes that one fsync for many requests.
 */
const prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`PRAGMA busy_timeout = 5000`
    yield* sql`PRAGMA synchronous = FULL`
    yield* sql`PRAGMA foreign_keys = ON`
    yield* migrate
  })
)

/**
 * One server a file. The lock is an exclusive transaction on a file beside the database, so that the kernel frees it
 * however the holder dies, and so that backups and commands can still read the database itself.
 */
const lock = (filename: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const holder = new SqliteFile(`${filename}.lock`, { create: true })
      try {
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
