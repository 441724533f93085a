import { Database, Statement } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, afterEach, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { SqliteConnection } from "../../src/sql/sqlite/Client.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-kept-"))
afterAll(() => rmSync(folder, { recursive: true }))

const withCommits = (name: string) =>
  Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${join(folder, name)}`, exclusive: true })))

/** What SQLite is asked to prepare from now on. */
const preparing = () => {
  const { mock } = vi.spyOn(Database.prototype, "prepare")
  return {
    texts: () => mock.calls.map(([text]) => text),
    /** The number of statements that are not finalized. */
    alive: () => mock.results.filter(({ value }) => value instanceof Statement && !value.isFinalized).length
  }
}
afterEach(() => vi.restoreAllMocks())

describe("prepared statements on SQLite", () => {
  it.effect("are kept, however many others there were, and are no more than 512", () =>
    Effect.gen(function* () {
      const { alive, texts } = preparing()
      const sql = yield* SqlClient.SqlClient
      const often = sql.unsafe<{ one: number }>("SELECT 1 AS one")
      for (let other = 0; other < 2_000; other++) {
        yield* sql.unsafe(`SELECT ${other} AS other`)
        if (other % 10 === 0) expect(yield* often).toEqual([{ one: 1 }])
      }
      // Prepared anew when those that were kept were given back, and not each time from then on.
      expect(texts().filter((text) => text === "SELECT 1 AS one").length).toBeLessThan(6)
      expect(texts().length).toBeGreaterThan(2_000)
      expect(alive()).toBeLessThanOrEqual(512)
    }).pipe(Effect.provide(withCommits("many.db")))
  )

  it.effect("are no more after an hour without writes", () =>
    Effect.gen(function* () {
      const { watch } = yield* DatabaseHealth
      const commits = yield* Commits
      let now = performance.now()
      vi.spyOn(performance, "now").mockImplementation(() => (now += 4_000))
      yield* Effect.repeatN(watch, 1)
      const wrote = commits.lastAt()
      const { texts } = preparing()
      yield* Effect.repeatN(watch, 1_200)
      expect(commits.lastAt()).toBeGreaterThan(wrote + 1_200 * 4_000)
      expect(texts()).toEqual([])
    }).pipe(Effect.provide(Layer.provideMerge(DatabaseHealth.DefaultWithoutDependencies, withCommits("quiet.db"))))
  )

  it("wait for the disk where they are to be durable, whatever came before", () => {
    const database = new Database(join(folder, "durable.db"))
    database.run("PRAGMA journal_mode = WAL")
    database.run("CREATE TABLE rows (id TEXT PRIMARY KEY)")
    const connection = new SqliteConnection(database)
    const row = (id: string) => ({ text: "INSERT INTO rows (id) VALUES (?)", values: [id] })
    const synchronous = () => database.query("PRAGMA synchronous").get()
    connection.writeNow([row("a")], false)
    expect(synchronous()).toEqual({ synchronous: 1 })
    connection.writeNow([row("b")], true)
    expect(synchronous()).toEqual({ synchronous: 2 })
    expect(() => connection.writeNow([row("c"), row("a")], true)).toThrow("UNIQUE")
    expect(connection.isBusy).toBe(false)
    expect(database.query("SELECT id FROM rows").values()).toEqual([["a"], ["b"]])
    database.close()
  })
})
