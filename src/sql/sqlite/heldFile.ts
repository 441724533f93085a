import { statSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The file of the database that is open; empty where there is none: in memory, on another engine. */
export const databaseFile: Effect.Effect<string, never, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql.onDialectOrElse({
      sqlite: () =>
        sql<{ file: string }>`SELECT file FROM pragma_database_list WHERE name = 'main'`.pipe(
          Effect.map((rows) => rows[0]?.file ?? ""),
          Effect.orDie
        ),
      orElse: () => Effect.succeed("")
    })
)

/**
 * Tells whether the files that are open are still those at their paths: what is written to one that was removed or
 * replaced is gone with the process. To be made right after the database was opened; answers what is wrong.
 */
export const holdFiles = (file: string): (() => string | undefined) => {
  if (file === "") return () => undefined
  const log = `${file}-wal`
  const held = identity(file)
  // There is one from the first commit on, until the database is closed.
  let heldLog = identity(log)
  return () => {
    if (identity(file) !== held) return "the database's file was removed or replaced while it is open"
    const now = identity(log)
    if (heldLog !== undefined && now !== heldLog) return "the database's log was removed or replaced while it is open"
    heldLog = now
    return undefined
  }
}

const identity = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}
