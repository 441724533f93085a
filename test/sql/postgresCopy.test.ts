import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { copyDatabase } from "../../src/sql/copy/copyDatabase.ts"
import { layer } from "../../src/sql/Database.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))

const newFile = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-copy-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const file = join(folder, "gateway.db")
  yield* Effect.scoped(Layer.build(layer({ url: `sqlite:${file}`, exclusive: true })))
  return file
})

const word = "é\u2028😀 \"'\\ {}"
const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)

/** Puts a row into every table, whose texts are all the same, so that they refer to each other. */
const filled = (file: string, text = word) => {
  const sqlite = new SqliteFile(file)
  sqlite.run("PRAGMA foreign_keys = OFF")
  const tables = sqlite
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !["migrations", "access_version"].includes(name))
  for (const name of tables) {
    const columns = sqlite
      .query<{ name: string; type: string; notnull: number; pk: number }, []>(`PRAGMA table_info("${name}")`)
      .all()
    const values = columns.map(({ type }) => (type === "BLOB" ? bytes : type === "TEXT" ? text : 7))
    sqlite
      .prepare(`INSERT INTO "${name}" VALUES (${columns.map(() => "?").join(", ")})`)
      .run(...(values as Array<string>))
  }
  // It is read.
  sqlite.run("UPDATE holds SET budgets = '[]'")
  sqlite.close()
  return tables
}

const copied = (from: string, to: string) => Effect.scoped(copyDatabase({ from, to, progress: () => Effect.void }))

const ask = <A extends object>(url: string, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(text)).pipe(
    Effect.provide(layer({ url, exclusive: false })),
    Effect.scoped
  )

describe.skipIf(postgres === undefined)("a copy of a database", () => {
  it.scopedLive("has a row of every table as it was, and counts on behind them", () =>
    Effect.gen(function* () {
      const [file, url] = [yield* newFile, yield* newUrl]
      const tables = filled(file)
      const sqlite = new SqliteFile(file)
      sqlite.run("UPDATE access_version SET version = 42")
      // One process remembers it.
      sqlite.run("UPDATE accounts SET held_nano_usd = 0")
      sqlite.run("UPDATE budget_counters SET held = 0")
      const held = { budget: "b", subject: "", step: 0, account: "a", endsAt: 9, unit: "usd", amount: 3 }
      sqlite.run("UPDATE holds SET budgets = ?", [JSON.stringify([held])])
      sqlite.close()
      const report = yield* copied(file, url)
      const ofOneProcess = [
        "node_holds",
        "node_batches",
        "idempotency_claims",
        "key_budgets",
        "node_budgets",
        "usage_unsummed"
      ]
      const moved = tables.filter((name) => name !== "nodes" && !ofOneProcess.includes(name))
      expect(report.tables.filter(({ rows }) => rows === 1).map(({ table }) => table)).toHaveLength(moved.length + 1)
      expect(report.sums).toMatchObject({ granted_nano_usd: "7", usage_nano_usd: "7", usage_tokens: "14" })
      expect(yield* ask(url, "SELECT version FROM access_version")).toEqual([{ version: 42 }])
      const [answer] = yield* ask<{ answer: Uint8Array; endpoint: string }>(url, "SELECT * FROM kept_answers")
      expect(answer?.endpoint).toBe(word)
      expect(Buffer.from(answer?.answer ?? []).equals(bytes)).toBe(true)
      const [next] = yield* ask<{ id: number }>(
        url,
        `INSERT INTO audit (at, actor, action, target) VALUES (1, 'a', 'b', 'c') RETURNING id`
      )
      expect(next?.id).toBe(8)
      // What one process remembered is in rows: the hold of a task.
      expect(yield* ask(url, "SELECT held_nano_usd FROM accounts")).toEqual([{ held_nano_usd: 7 }])
      expect(yield* ask(url, "SELECT budget, held FROM budget_counters WHERE held > 0")).toEqual([
        { budget: "b", held: 3 }
      ])
      expect(yield* ask(url, "SELECT * FROM nodes")).toEqual([])
    })
  )
  it.scopedLive("replaces the NULs that no Postgres keeps, and says so", () =>
    Effect.gen(function* () {
      const [file, url] = [yield* newFile, yield* newUrl]
      const sqlite = new SqliteFile(file)
      sqlite.run("INSERT INTO audit (at, actor, action, target) VALUES (1, 'a', ?, 'c')", ["x\0y\0"])
      sqlite.close()
      const { tables } = yield* copied(file, url)
      expect(tables.find(({ table }) => table === "audit")).toEqual({ table: "audit", rows: 1, mended: 1 })
      expect(yield* ask(url, "SELECT action FROM audit")).toEqual([{ action: "x\uFFFDy\uFFFD" }])
    })
  )

  it.scopedLive("that can't be made leaves the target as it was", () =>
    Effect.gen(function* () {
      const [file, url] = [yield* newFile, yield* newUrl]
      const sqlite = new SqliteFile(file)
      sqlite.run("INSERT INTO audit (at, actor, action, target) VALUES (1, 'a', 'b', 'c')")
      sqlite.run("PRAGMA foreign_keys = OFF")
      // Of an unknown account.
      sqlite.run("INSERT INTO grants (at, account_id, nano_usd, note) VALUES (1, 'gone', 5, '')")
      sqlite.close()
      expect(yield* Effect.flip(copied(file, url))).toMatchObject({
        _tag: "CopyFailed",
        message: expect.stringMatching(/^the target refused the copy: .*foreign key/)
      })
      expect(yield* ask(url, "SELECT * FROM audit")).toEqual([])
      expect(yield* ask(url, "SELECT version FROM access_version")).toEqual([{ version: 0 }])
    })
  )

  it.scopedLive("of what no column of Postgres takes is refused, and says where it is", () =>
    Effect.gen(function* () {
      const [file, url] = [yield* newFile, yield* newUrl]
      const sqlite = new SqliteFile(file)
      sqlite.run("INSERT INTO audit (at, actor, action, target) VALUES (1.5, 'a', 'b', 'c')")
      sqlite.close()
      expect(yield* Effect.flip(copied(file, url))).toMatchObject({
        message: "audit.at: it contains a value that is not of type bigint"
      })
    })
  )

  it.scopedLive("is refused where something is there already, or a gateway serves, or the schema is another", () =>
    Effect.gen(function* () {
      const [file, url] = [yield* newFile, yield* newUrl]
      filled(file)
      const refusal = (from: string, to: string) =>
        Effect.map(Effect.flip(copied(from, to)), (error) => ("message" in error ? error.message : ""))
      expect(yield* refusal(`${file}.gone`, url)).toContain("there is no database")

      const serving = yield* Effect.scoped(
        Effect.zipRight(Layer.build(layer({ url: `sqlite:${file}`, exclusive: true })), refusal(file, url))
      )
      expect(serving).toBe(`a gateway serves from ${file}: stop it first`)
      const served = yield* Effect.scoped(
        Effect.zipRight(Layer.build(layer({ url, exclusive: true })), refusal(file, url))
      )
      expect(served).toBe("a gateway serves from the target: stop it first")

      yield* copied(file, url)
      expect(yield* refusal(file, url)).toMatch(/^the target is not empty: there are rows in /)

      const older = new SqliteFile(file)
      older.run("DELETE FROM migrations WHERE migration_id > 36")
      older.close()
      expect(yield* refusal(file, yield* newUrl)).toContain("has schema 36")
    })
  )
})
