import { mkdtempSync, rmSync, statSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { lock } from "../../src/sql/sqlite/Database.ts"
import { runCommand } from "./command.ts"

describe("gateway db compact", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-compact-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "gateway.db")
  const env = { GATEWAY_DATABASE_URL: `sqlite:${path}` }
  {
    using file = new Database(path, { create: true })
    file.run("PRAGMA journal_mode = WAL")
    file.run("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")
    file.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO rows SELECT i, hex(randomblob(2000)) FROM n`)
    file.run("DELETE FROM rows WHERE id <= 4000")
  }

  it("gives the space of deleted rows back, and keeps the others", async () => {
    const made: Array<string> = []
    const watcher = watch(folder, (_event, name) => void made.push(name ?? ""))
    const { code, json } = await runCommand(folder, ["db", "compact", "--json"], env)
    expect(code).toBe(0)
    // SQLite's temporary file, whose name depends on the file system, is beside the database: there the free space was looked at.
    await vi.waitFor(() => expect(made.filter((name) => !name.startsWith("gateway.db"))).not.toEqual([]))
    watcher.close()
    const { after, before } = json<{ before: number; after: number }>()
    expect(after).toBe(statSync(path).size)
    expect(after).toBeLessThan(before / 4)
    using file = new Database(path, { readonly: true })
    expect(file.query("SELECT COUNT(*) AS n, MIN(id) AS first FROM rows").get()).toEqual({ n: 1_000, first: 4_001 })
  })

  it("is refused while a gateway serves, where there is no file, and on Postgres", async () => {
    const served = await Effect.runPromise(
      Effect.scoped(
        Effect.zipRight(
          lock(path),
          Effect.promise(() => runCommand(folder, ["db", "compact"], env))
        )
      )
    )
    expect([served.code, served.err]).toEqual([4, `gateway: a gateway serves from ${path}: stop it first\n`])
    const missing = join(folder, "none.db")
    const none = await runCommand(folder, ["db", "compact"], { GATEWAY_DATABASE_URL: `sqlite:${missing}` })
    expect([none.code, none.err]).toEqual([1, expect.stringContaining(`there is no database ${missing}`)])
    const elsewhere = await runCommand(folder, ["db", "compact"], { GATEWAY_DATABASE_URL: "postgres://a@localhost/b" })
    expect(elsewhere.code).not.toBe(0)
    expect(elsewhere.err).toContain("VACUUM (FULL) usage, requests, audit")
  })
})
