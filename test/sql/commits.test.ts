import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { DatabaseUnavailable, layer } from "../../src/sql/Database.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-sql-"))
afterAll(() => rmSync(folder, { recursive: true }))

const database = (name: string) => layer({ url: `sqlite:${join(folder, name)}`, exclusive: true })
const withCommits = (name: string) => Commits.Default.pipe(Layer.provideMerge(database(name)))

const account = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO accounts (id, created_at) VALUES (${id}, 0)`)

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`)

describe("Commits", () => {
  it.effect("commits every write, and rolls back only the one that fails", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const write = (id: string) =>
        commits.commit(
          Effect.provide(id === "bad" ? Effect.zipRight(account(id), Effect.fail("no")) : account(id), context)
        )
      const exits = yield* Effect.forEach(["a", "bad", "b"], (id) => Effect.exit(write(id)), {
        concurrency: "unbounded"
      })
      expect(exits.map(Exit.isSuccess)).toEqual([true, false, true])
      expect((yield* accounts).map((row) => row.id)).toEqual(["a", "b"])
    }).pipe(Effect.provide(withCommits("commits.db")))
  )

  it.effect(
    "answers a full disk to every write that shared the commit, keeps none of them, and goes on when there is room",
    () =>
      Effect.gen(function* () {
        const commits = yield* Commits
        const sql = yield* SqlClient.SqlClient
        const context = yield* Effect.context<SqlClient.SqlClient>()
        const write = (id: string) =>
          commits.commit(Effect.provide(Effect.zipRight(account(id), account(`${id}-too`)), context))
        const statement = (id: string) => commits.commit(Effect.provide(account(id), context))
        const big = "x".repeat(100_000)
        const [{ page_count } = { page_count: 0 }] = yield* sql<{ page_count: number }>`PRAGMA page_count`
        yield* sql`PRAGMA max_page_count = ${sql.literal(String(page_count + 8))}`
        const writes = [write("a"), statement("b"), write(big), write("c"), statement("d")]
        const exits = yield* Effect.forEach(writes, Effect.exit, { concurrency: "unbounded" })
        expect(exits.map(Exit.isFailure)).toEqual([true, true, true, true, true])
        expect(yield* accounts).toEqual([])
        expect(commits.refusal()).toBe("the database takes no writes: the disk is full (SQLITE_FULL)")
        // What is refused for its own sake does not say that others would be taken.
        yield* Effect.flip(commits.commit(Effect.fail("no")))
        expect(commits.refusal()).toBeDefined()
        yield* sql`PRAGMA max_page_count = 1000000`
        yield* write("e")
        expect(commits.refusal()).toBeUndefined()
        expect((yield* accounts).map((row) => row.id)).toEqual(["e", "e-too"])
      }).pipe(Effect.provide(withCommits("full.db")))
  )

  it.effect("keeps the others of a commit when a constraint refuses one", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const writes = ["a", "a", "b"].map((id) => commits.commit(Effect.provide(account(id), context)))
      const exits = yield* Effect.forEach(writes, Effect.exit, { concurrency: "unbounded" })
      expect(exits.map(Exit.isSuccess)).toEqual([true, false, true])
      expect((yield* accounts).map((row) => row.id)).toEqual(["a", "b"])
    }).pipe(Effect.provide(withCommits("constraint.db")))
  )

  it.effect("goes on, and keeps its word to the others, when what was to follow a commit throws", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const followed: Array<string> = []
      const write = (id: string, ...then: ReadonlyArray<() => void>) =>
        commits.commit(Effect.provide(Effect.zipRight(Effect.forEach(then, commits.afterCommit), account(id)), context))
      const breaks = () => {
        throw new Error("what follows broke")
      }
      const together = [write("a", breaks, () => followed.push("a")), write("b", () => followed.push("b"))]
      const exits = yield* Effect.forEach(together, Effect.exit, { concurrency: "unbounded" })
      expect(exits.map(Exit.isSuccess)).toEqual([true, true])
      expect(followed).toEqual(["a", "b"])
      yield* write("c")
      expect((yield* accounts).map((row) => row.id)).toEqual(["a", "b", "c"])
      // Nothing follows what was not written, alone or beside others.
      yield* Effect.exit(write("c", () => followed.push("c again")))
      const beside = [write("a", () => followed.push("a again")), write("d", () => followed.push("d"))]
      yield* Effect.forEach(beside, Effect.exit, { concurrency: "unbounded" })
      expect(followed).toEqual(["a", "b", "d"])
    }).pipe(Effect.provide(withCommits("after.db")))
  )
})

/** How a commit waits for the disk: 2 is FULL. */
const synchronous = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ synchronous: number }>`PRAGMA synchronous`, (rows) => rows[0]?.synchronous)
)

describe("the database", () => {
  it.effect("has every commit wait for the disk, but for those that need not, and again after them", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const here = Effect.provide(context)
      expect(yield* synchronous).toBe(2)
      yield* commits.commit(here(account("a")))
      expect(yield* commits.commit(here(synchronous), "soon")).toBe(1)
      expect(yield* synchronous).toBe(2)
      const failing = Effect.zipRight(here(account("b")), Effect.fail("no"))
      expect(yield* Effect.flip(commits.commit(failing, "soon"))).toBe("no")
      expect(yield* synchronous).toBe(2)
      yield* commits.commit(here(account("c")), "first")
      expect(yield* synchronous).toBe(2)
    }).pipe(Effect.provide(withCommits("synchronous.db")))
  )

  it.effect("refuses a second server on the same file, in one line", () =>
    Effect.gen(function* () {
      const second = yield* Effect.flip(Layer.build(database("shared.db")))
      expect(second).toBeInstanceOf(DatabaseUnavailable)
      expect(second.message).toContain(`is in use by another gateway (process ${process.pid})`)
      expect(second.message).not.toContain("\n")
    }).pipe(Effect.scoped, Effect.provide(database("shared.db")))
  )

  it.effect("names a bad address", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Layer.build(layer({ url: "mysql://x", exclusive: true })))
      expect(failure.message).toContain(
        'expected sqlite:<path>, sqlite::memory: or postgres://<user>@<host>/<name>; got "mysql:…"'
      )
    }).pipe(Effect.scoped)
  )

  it.effect("makes the folder of its file", () =>
    Effect.gen(function* () {
      yield* accounts
      expect(existsSync(join(folder, "deep/er/gateway.db"))).toBe(true)
    }).pipe(Effect.provide(database("deep/er/gateway.db")))
  )
})
