import { existsSync, statfsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { Data, Effect } from "effect"

/** A database can't be compacted; the message is one line for the operator. */
export class NotCompacted extends Data.TaggedError("NotCompacted")<{ readonly message: string }> {}

/** Sizes of the file in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
}

/**
 * Gives the pages that deleted rows have left back to the disk. In place, in one transaction: a crash leaves the database
 * as it was. The new pages are written twice meanwhile, to a temporary file and to the log.
 */
export const compact = (database: string): Effect.Effect<Compacted, NotCompacted> =>
  Effect.try({
    try: () => {
      if (!existsSync(database)) throw new NotCompacted({ message: `there is no database ${database}` })
      using file = new SqliteFile(database, { readwrite: true, create: false })
      file.run("PRAGMA busy_timeout = 5000")
      file.run("PRAGMA wal_checkpoint(TRUNCATE)")
      const before = statSync(database).size
      const left = (one(file, "page_count") - one(file, "freelist_count")) * one(file, "page_size")
      const { bavail, bsize } = statfsSync(dirname(database))
      const [needed, free] = [2 * left, bavail * bsize]
      if (free < needed) {
        throw new NotCompacted({
          message: `${database} can't be compacted: it needs ${megabytes(needed)} of free disk meanwhile, and ${megabytes(free)} are free`
        })
      }
      // SQLite would write the temporary file to /var/tmp, whose space was not looked at.
      file.run(`PRAGMA temp_store_directory = '${dirname(resolve(database)).replaceAll("'", "''")}'`)
      file.run("VACUUM")
      file.run("PRAGMA wal_checkpoint(TRUNCATE)")
      return { before, after: statSync(database).size }
    },
    catch: (cause) =>
      cause instanceof NotCompacted
        ? cause
        : new NotCompacted({
            message: `${database} can't be compacted: ${cause instanceof Error ? cause.message : String(cause)}`
          })
  })

/** The value of a pragma that is a number. */
const one = (file: SqliteFile, pragma: string): number =>
  Number(file.query<unknown, []>(`PRAGMA ${pragma}`).values()[0]?.[0])

/** `12.3 MB`. */
export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
