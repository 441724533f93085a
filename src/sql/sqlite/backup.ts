import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { Data, Effect, Redacted } from "effect"
import { makeOwnFile } from "../../config/ownFiles.ts"
import { whyNotMigrated } from "../migrations.ts"

/** A backup can't be made or restored; the message is one line for the operator. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

/** The contents of a backup. */
export interface Backup {
  /** In bytes. */
  readonly size: number
  readonly schema: number
  readonly tables: number
  readonly rows: number
  /** When it was made, ISO 8601. */
  readonly madeAt: string
  /** The version of the gateway that made it. */
  readonly madeBy: string
  /** The gateway's own secret, if it is kept in a file. */
  readonly secret: Redacted.Redacted | undefined
}

/** The backup's own table. It is dropped when the backup is restored. */
const note = "gateway_backup"

interface Options {
  readonly version: string
  readonly secret: Redacted.Redacted | undefined
}

/**
 * Copies a database, which may be in use, to a new file as it was at one moment, and verifies the copy. A running
 * gateway continues: the copy is a normal read. The file appears complete or not at all.
 */
export const backUp = (database: string, file: string, options: Options): Effect.Effect<Backup, BackupFailed> =>
  attempt(`${file} can't be made`, () => {
    // One draft per process: another may be writing the same file.
    const draft = `${file}.${process.pid}.part`
    rmSync(draft, { force: true })
    makeOwnFile(draft)
    try {
      using source = new SqliteFile(database, { readonly: true })
      source.run("PRAGMA busy_timeout = 5000")
      source.run("VACUUM INTO ?", [draft])
      noted(draft, options)
      const backup = readThrough(draft)
      synced(draft)
      // Existing files are not overwritten, also if one has appeared meanwhile.
      if (existsSync(file)) throw new BackupFailed({ message: `${file} already exists` })
      renameSync(draft, file)
      synced(dirname(file))
      return backup
    } finally {
      rmSync(draft, { force: true })
    }
  })

/** Verifies a file that `backUp` made, by reading all of it. Fails if this gateway can't migrate its database. */
export const inspect = (file: string): Effect.Effect<Backup, BackupFailed> =>
  attempt(`${file} can't be read`, () => {
    if (!existsSync(file)) throw new BackupFailed({ message: `there is no file ${file}` })
    const backup = readThrough(file)
    const refused = whyNotMigrated(backup.schema)
    if (refused !== undefined) throw new BackupFailed({ message: `${file} ${refused}` })
    return backup
  })

/**
 * Replaces a database, which must not be in use, by a backup. The former database is kept beside it.
 *
 * @returns the path of the former database; undefined if there was none
 */
export const putBack = (file: string, database: string, now: Date): Effect.Effect<string | undefined, BackupFailed> =>
  attempt(`${database} can't be put back`, () => {
    const draft = `${database}.part`
    rmSync(draft, { force: true })
    makeOwnFile(draft)
    {
      using source = new SqliteFile(file, { readonly: true })
      source.run("VACUUM INTO ?", [draft])
      using copy = new SqliteFile(draft)
      copy.run(`DROP TABLE ${note}`)
    }
    synced(draft)
    const former = existsSync(database) ? keptAs(database, now) : undefined
    if (former === undefined || !isAlsoAt(database, former)) moved(database, former)
    renameSync(draft, database)
    synced(dirname(database))
    return former
  })

/**
 * Checkpoints the database and gives it a second name, so that a crash leaves the former or the new database under the
 * first. Returns false if that is impossible: it is damaged, or the file system has no hard links.
 */
const isAlsoAt = (database: string, former: string): boolean => {
  try {
    {
      using file = new SqliteFile(database)
      file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    // The last connection to close removes the log.
    if (existsSync(`${database}-wal`)) return false
    linkSync(database, former)
    return true
  } catch {
    return false
  }
}

/** Moves the log too: SQLite would apply it to the new database. */
const moved = (database: string, former: string | undefined): void => {
  for (const end of ["-wal", "-shm", ""]) {
    if (former !== undefined && existsSync(database + end)) renameSync(database + end, former + end)
    else rmSync(database + end, { force: true })
  }
}

/** The name for a replaced file, by the second: `gateway.db.before-20260131T120000Z`, and `-2` for the second one. */
export const keptAs = (path: string, now: Date): string => {
  const name = `${path}.before-${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}`
  let free = name
  for (let nth = 2; existsSync(free); nth++) free = `${name}-${nth}`
  return free
}

const noted = (file: string, { secret, version }: Options): void => {
  using copy = new SqliteFile(file)
  copy.run(`CREATE TABLE ${note} (made_at TEXT NOT NULL, made_by TEXT NOT NULL, secret TEXT)`)
  copy.run(`INSERT INTO ${note} VALUES (?, ?, ?)`, [
    new Date().toISOString(),
    version,
    secret === undefined ? null : Redacted.value(secret)
  ])
}

const readThrough = (file: string): Backup => {
  using copy = new SqliteFile(file, { readonly: true })
  const wrong = one(copy, "PRAGMA integrity_check")
  if (wrong !== "ok") throw new BackupFailed({ message: `${file} is damaged: ${String(wrong)}` })
  const tables = copy
    .query<{ readonly name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    .all()
    .map(({ name }) => name)
  if (!tables.includes(note) || !tables.includes("migrations")) {
    throw new BackupFailed({ message: `${file} is not a backup made by \`gateway backup\`` })
  }
  const schema = Number(one(copy, "SELECT MAX(migration_id) FROM migrations"))
  const own = tables.filter((name) => name !== note)
  const secret = one(copy, `SELECT secret FROM ${note}`)
  return {
    size: statSync(file).size,
    schema,
    tables: own.length,
    rows: own.reduce((sum, name) => sum + Number(one(copy, `SELECT COUNT(*) FROM "${name}"`)), 0),
    madeAt: String(one(copy, `SELECT made_at FROM ${note}`)),
    madeBy: String(one(copy, `SELECT made_by FROM ${note}`)),
    secret: typeof secret === "string" ? Redacted.make(secret) : undefined
  }
}

/** The first value of the first row. */
const one = (file: SqliteFile, text: string): unknown => file.query<unknown, []>(text).values()[0]?.[0]

const synced = (path: string): void => {
  const file = openSync(path, "r")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const attempt = <A>(what: string, work: () => A): Effect.Effect<A, BackupFailed> =>
  Effect.try({
    try: work,
    catch: (cause) =>
      cause instanceof BackupFailed
        ? cause
        : new BackupFailed({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })
