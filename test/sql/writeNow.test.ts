import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Fiber, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { isRefused } from "../../src/sql/isRefused.ts"
import { prepare } from "../../src/sql/prepare.ts"
import { sendingAccounts } from "./sending.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-now-"))
afterAll(() => rmSync(folder, { recursive: true }))

const withCommits = (name: string) =>
  Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${join(folder, name)}`, exclusive: true })))

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`, (rows) => rows.map(({ id }) => id))
)

const synchronous = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ synchronous: number }>`PRAGMA synchronous`)

describe("reads on SQLite that are in no transaction", () => {
  it.live("wait for the end of another's, and answer what stands then", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = prepare(sql, sql`SELECT COUNT(*) AS n FROM accounts WHERE created_at = ${0}`)
      const open = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO accounts (id, created_at) VALUES ('open', 0)`
          // From code outside of the transaction.
          const reading = Effect.runFork(count([0]))
          yield* Effect.sleep("20 millis")
          return yield* Effect.fail(reading)
        })
      )
      const reading = yield* Effect.flip(open)
      expect(reading).not.toBeInstanceOf(SqlError)
      if (reading instanceof SqlError) return
      expect(yield* Fiber.join(reading)).toEqual([{ n: 0 }])
      expect(yield* count([0])).toEqual([{ n: 0 }])
    }).pipe(Effect.provide(withCommits("reads.db")))
  )

  it.effect("fail as others do where the database is closed", () =>
    Effect.gen(function* () {
      const count = yield* Effect.provide(
        Effect.map(SqlClient.SqlClient, (sql) =>
          prepare(sql, sql`SELECT COUNT(*) AS n FROM accounts WHERE id = ${""}`)
        ),
        withCommits("closed.db")
      )
      expect(yield* Effect.flip(count([""]))).toBeInstanceOf(SqlError)
    })
  )
})

describe("plain statements on SQLite", () => {
  it.effect("are written at once, all or none, and leave commits as they were", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const send = yield* sendingAccounts
      expect(send(["a", "b"], "soon").isAtOnce).toBe(true)
      expect(commits.lastAt()).toBeGreaterThan(0)
      // The second is refused, so the first is not there either; what comes after is taken.
      const refused = send(["c", "a"], "soon")
      expect(refused.isAtOnce).toBe(false)
      expect(isRefused(yield* Effect.flip(refused.outcome))).toBe(true)
      expect(commits.refusal()).toBeUndefined()
      expect(send(["d"], "soon").isAtOnce).toBe(true)
      expect(yield* accounts).toEqual(["a", "b", "d"])
      // What has to be durable at once still waits for the disk: the transaction has begun so, or it could not be changed.
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql.withTransaction(synchronous)).toEqual([{ synchronous: 2 }])
      expect(send(["e"], "soon").isAtOnce).toBe(true)
      expect(yield* accounts).toHaveLength(4)
      expect(yield* synchronous).toEqual([{ synchronous: 2 }])
    }).pipe(Effect.provide(withCommits("now.db")))
  )

  it.effect("are left to a fiber while a transaction is open, which may fail without them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const send = yield* sendingAccounts
      const during = yield* sql
        .withTransaction(
          Effect.zipRight(
            sql`INSERT INTO accounts (id, created_at) VALUES ('open', 0)`,
            Effect.suspend(() => Effect.fail(send(["between"], "soon")))
          )
        )
        .pipe(Effect.flip)
      if (during instanceof SqlError) return yield* during
      expect(during.isAtOnce).toBe(false)
      yield* during.outcome
      expect(send(["after"], "soon").isAtOnce).toBe(true)
      expect(yield* accounts).toEqual(["after", "between"])
    }).pipe(Effect.provide(withCommits("open.db")))
  )

  it.effect("are left to a fiber while the disk is full, and until a commit has succeeded", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const send = yield* sendingAccounts
      const sql = yield* SqlClient.SqlClient
      const [{ page_count } = { page_count: 0 }] = yield* sql<{ page_count: number }>`PRAGMA page_count`
      yield* sql`PRAGMA max_page_count = ${sql.literal(String(page_count + 8))}`
      const tooLong = send(["x".repeat(100_000)], "soon")
      expect(tooLong.isAtOnce).toBe(false)
      yield* Effect.flip(tooLong.outcome)
      expect(commits.refusal()).toBe("the database takes no writes: the disk is full (SQLITE_FULL)")
      yield* sql`PRAGMA max_page_count = 1000000`
      const first = send(["first"], "soon")
      expect(first.isAtOnce).toBe(false)
      yield* first.outcome
      expect(send(["second"], "soon").isAtOnce).toBe(true)
      expect(yield* accounts).toEqual(["first", "second"])
    }).pipe(Effect.provide(withCommits("full.db")))
  )
})
