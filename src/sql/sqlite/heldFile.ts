import { statSync } from "node:fs"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The file of the open database; empty if it has none: in memory, on another engine. */
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
 * Checks that the open files are still those at their paths: writes to a removed or replaced file are lost with the
 * process. Call it right after opening the database. The returned function names the problem.
 */
export const holdFiles = (file: string): (() => string | undefined) => {
  if (file === "") return () => undefined
  const log = `${file}-wal`
  const held = identity(file)
  // The log exists from the first commit until the database is closed.
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
