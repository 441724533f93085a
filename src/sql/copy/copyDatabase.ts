import { existsSync } from "node:fs"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import * as Database from "../Database.ts"
import { rows } from "../decode.ts"
import { latestVersion, whyNotMigrated } from "../migrations.ts"
import { heldByBudgets } from "../migrations/0042_budgets.ts"
import { makeClient } from "../postgres/Client.ts"
import { keepUnserved } from "../postgres/served.ts"
import { lock } from "../sqlite/Database.ts"
import { CopyFailed } from "./CopyFailed.ts"
import { copyTable, quoteName } from "./copyTable.ts"
import type { Copied } from "./copyTable.ts"
import { sharedMoney } from "./sharedMoney.ts"
import { sums } from "./sums.ts"
import { remembered, seeded, tablesOf } from "./tables.ts"
import type { Table } from "./tables.ts"

/** The report of a copy. */
export interface CopyReport {
  readonly tables: ReadonlyArray<Copied>
  /** Sums of money on both sides, as decimal digits. */
  readonly sums: Readonly<Record<string, string>>
}

interface Options {
  /** SQLite's file. */
  readonly from: string
  /** `postgres://…`. */
  readonly to: string
  readonly progress: (table: string, rows: number, of: number) => Effect.Effect<void>
}

/**
 * Moves an installation from SQLite to an empty Postgres in one transaction. Every row is read back and compared, and
 * so are the sums of money. The source is only read; no gateway may be serving from either database. A failure leaves
 * the target empty.
 */
export const copyDatabase = ({ from, progress, to }: Options) =>
  Effect.gen(function* () {
    const source = yield* openSource(from)
    yield* mustBeCurrent(yield* Database.schemasOf(to), "the target")
    // Creates the schema if there is none.
    yield* Effect.scoped(
      Effect.asVoid(Effect.provide(SqlClient.SqlClient, Database.layer({ url: to, exclusive: false })))
    )
    yield* Effect.mapError(keepUnserved(to), (error) =>
      error._tag === "DatabaseUnavailable"
        ? new CopyFailed({ message: "a gateway serves from the target: stop it first" })
        : error
    )
    const target = yield* makeClient({ url: to, connections: 1, prepares: false, name: "gateway copy" })
    const all = yield* tablesOf(target)
    yield* mustHaveSame(source, all)
    const report = yield* target.withTransaction(
      Effect.gen(function* () {
        yield* target.unsafe(`SET LOCAL lock_timeout = '5s'`)
        yield* target.unsafe(`LOCK TABLE ${all.map(({ name }) => quoteName(name)).join(", ")} IN EXCLUSIVE MODE`)
        yield* mustBeEmpty(target, all)
        const moved = all.filter(({ name }) => !remembered.has(name))
        const tables = yield* Effect.forEach(moved, (table) => {
          const of = numberOf(source, `SELECT COUNT(*) FROM ${quoteName(table.name)}`)
          return copyTable(source, target, table, (rows) => progress(table.name, rows, of))
        })
        const added = yield* compared(source, target)
        // Some tables exist in memory only while one process serves.
        yield* sharedMoney(target)
        yield* heldByBudgets(target)
        return { tables, sums: added }
      })
    )
    yield* target.unsafe("ANALYZE")
    return report
  }).pipe(
    Effect.catchTag(
      "SqlError",
      ({ cause }) => new CopyFailed({ message: `the target refused the copy: ${wordsOf(cause)}` })
    )
  )

/** The server's message, which contains no values of rows. */
const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "it can't be reached")

const openSource = (file: string): Effect.Effect<SqliteFile, CopyFailed | Database.DatabaseUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    if (!existsSync(file)) return yield* new CopyFailed({ message: `there is no database ${file}` })
    yield* Effect.mapError(
      lock(file, 250),
      () => new CopyFailed({ message: `a gateway serves from ${file}: stop it first` })
    )
    const { stored } = yield* Database.schemasOf(`sqlite:${file}`)
    if (stored !== latestVersion) {
      const refused =
        whyNotMigrated(stored) ??
        `has schema ${stored}, this version has schema ${latestVersion}: run \`gateway migrate\` on it before`
      return yield* new CopyFailed({ message: `${file} ${refused}` })
    }
    return yield* Effect.acquireRelease(
      Effect.sync(() => new SqliteFile(file, { readonly: true })),
      (source) => Effect.sync(() => source.close())
    )
  })

const mustBeCurrent = ({ known, stored }: { readonly known: number; readonly stored: number }, which: string) =>
  stored === 0 || stored === known
    ? Effect.void
    : new CopyFailed({ message: `${which} has schema ${stored}, this version has schema ${known}: it must be empty` })

/** Fails before anything is copied if the source has a table that is unknown here. */
const mustHaveSame = (source: SqliteFile, all: ReadonlyArray<Table>) => {
  const known = new Set(all.map(({ name }) => name))
  const names = source
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name)
  const unknown = names.filter((name) => !known.has(name) && name !== "migrations" && name !== "nodes")
  return unknown.length === 0
    ? Effect.void
    : new CopyFailed({ message: `the source has tables that the target does not have: ${unknown.join(", ")}` })
}

const mustBeEmpty = (target: SqlClient.SqlClient, all: ReadonlyArray<Table>) =>
  Effect.forEach(
    all.filter(({ name }) => !seeded.has(name)),
    ({ name }) =>
      Effect.flatMap(target.unsafe(`SELECT 1 FROM ${quoteName(name)} LIMIT 1`), ({ length }) =>
        length === 0 ? Effect.void : new CopyFailed({ message: `the target is not empty: there are rows in ${name}` })
      ),
    { discard: true }
  )

const compared = (source: SqliteFile, target: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const added: Record<string, string> = {}
    for (const [name, text] of sums) {
      const ours = source.query<{ n: string }, []>(`SELECT CAST(COALESCE((${text}), 0) AS TEXT) AS n`).get()?.n
      const found = yield* target.unsafe(`SELECT COALESCE((${text}), 0)::text AS n`)
      const theirs = summed.first(found)?.n
      if (ours === undefined || ours !== theirs) {
        return yield* new CopyFailed({ message: `${name}: ${ours} at the source, ${theirs} at the target` })
      }
      added[name] = ours
    }
    return added
  })

const summed = rows("sums", { n: Schema.String })

const numberOf = (source: SqliteFile, text: string): number =>
  source.query<{ n: number }, []>(text.replace("COUNT(*)", "COUNT(*) AS n")).get()?.n ?? 0
