import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { describe, expect, inject, it } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Exit, Fiber, Layer } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { errorCode } from "../../src/sql/errorCode.ts"
import { isRefused } from "../../src/sql/isRefused.ts"
import { makeClient } from "../../src/sql/postgres/Client.ts"
import { engines } from "./engines.ts"
import { silenceable } from "./silentServer.ts"

const postgres = engines.find(({ name }) => name === "postgres")

/** A client of a new database with two connections, and one of another process. */
const clients = Effect.gen(function* () {
  const url = yield* postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url
  yield* Layer.build(layer({ url, exclusive: false }))
  const sql = yield* makeClient({ url, connections: 2, prepares: true, mostMs: 3_000, name: "test" })
  return { url, sql, other: yield* makeClient({ url, connections: 1, prepares: true, name: "other" }) }
})

const codeOf = (error: SqlError) => errorCode(error.cause)
const now = { created_at: 0 }

describe.runIf(inject("postgres") !== undefined)("a client of Postgres", () => {
  it.scopedLive("calls a statement with too many values refused, and not the server away", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const many = Array.from({ length: 70_000 }, (_, n) => n)
      expect(isRefused(yield* Effect.flip(sql`SELECT 1 AS a WHERE 1 IN ${sql.in(many)}`))).toBe(true)
      expect(yield* sql`SELECT 1 AS a`).toEqual([{ a: 1 }])
    })
  )

  it.scopedLive("whose fibers are interrupted cancels no statement, and loses no connection", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      let failures = 0
      const stays = Effect.tapError(sql`SELECT pg_sleep(0.002), 1 AS one`, () => Effect.sync(() => failures++))
      const leaves = Effect.flatMap(Effect.fork(sql`SELECT pg_sleep(0.002)`), (fiber) =>
        Effect.zipRight(Effect.sleep(`${Math.random() * 4} millis`), Fiber.interrupt(fiber))
      )
      const inTransaction = Effect.flatMap(
        Effect.fork(sql.withTransaction(Effect.zipRight(sql`SELECT pg_sleep(0.001)`, sql`SELECT pg_sleep(0.002)`))),
        (fiber) => Effect.zipRight(Effect.sleep(`${Math.random() * 5} millis`), Fiber.interrupt(fiber))
      )
      const each = Effect.exit(Effect.all([Effect.ignore(stays), leaves, inTransaction], { concurrency: "unbounded" }))
      yield* Effect.forEach(Array.from({ length: 100 }), () => each, { concurrency: 6, discard: true })
      expect(failures).toBe(0)
      // Both are stored, and neither in another's transaction.
      const ends = yield* Effect.all(
        [sql`SELECT 1 AS a`, sql`SELECT 1 AS a`, sql.withTransaction(sql`SELECT 1 AS a`)],
        {
          concurrency: "unbounded"
        }
      )
      expect(ends).toEqual([[{ a: 1 }], [{ a: 1 }], [{ a: 1 }]])
      const open = yield* sql`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
      expect(open).toEqual([])
    })
  )

  it.scopedLive("says that a transaction was rolled back whose COMMIT was answered so", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const account = (id: string) => sql`INSERT INTO accounts ${sql.insert({ id, ...now })}`
      const caught = Effect.zipRight(account("a"), Effect.ignore(account("a")))
      const live = Layer.provide(Commits.Default, Layer.succeed(SqlClient.SqlClient, sql))
      const commits = Context.get(yield* Layer.build(live), Commits)
      expect(codeOf(yield* Effect.flip(commits.commit(caught)))).toBe("40000")
      expect(Exit.isFailure(yield* Effect.exit(sql.withTransaction(caught)))).toBe(true)
      expect(yield* sql`SELECT id FROM accounts`).toEqual([])
      // It affects no other statement, and not the server.
      expect(commits.refusal()).toBeUndefined()
      yield* commits.commit(account("b"))
    })
  )

  it.scopedLive("whose backend is killed in the midst of a transaction fails that alone, and heals", () =>
    Effect.gen(function* () {
      const { other, sql } = yield* clients
      const killed = yield* Effect.exit(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO accounts ${sql.insert({ id: "lost", ...now })}`
            const [own] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
            yield* other`SELECT pg_terminate_backend(${own?.pid})`
            yield* sql`INSERT INTO accounts ${sql.insert({ id: "lost too", ...now })}`
          })
        )
      )
      expect(Exit.isFailure(killed)).toBe(true)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => String(n)),
        (id) => sql.withTransaction(sql`INSERT INTO accounts ${sql.insert({ id, ...now })}`),
        { concurrency: "unbounded" }
      )
      expect(yield* other`SELECT COUNT(*) AS n FROM accounts`).toEqual([{ n: 20 }])
    })
  )

  it.scopedLive("all of whose connections are taken says so after a while, and serves those who waited less", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const taken = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const both = Effect.all([sql.reserve, sql.reserve])
      const held = yield* Effect.fork(
        Effect.scoped(
          both.pipe(Effect.zipRight(Deferred.succeed(taken, void 0)), Effect.zipRight(Deferred.await(over)))
        )
      )
      yield* Deferred.await(taken)
      const early = yield* Effect.fork(Effect.either(sql`SELECT 1 AS a`))
      const reserved = yield* Effect.fork(Effect.either(Effect.scoped(sql.reserve)))
      yield* Effect.sleep("2 seconds")
      const late = yield* Effect.fork(sql`SELECT 2 AS a`)
      expect(yield* Fiber.join(early)).toMatchObject({ _tag: "Left", left: { cause: { code: "busy" } } })
      expect(yield* Fiber.join(reserved)).toMatchObject({ _tag: "Left", left: { cause: { code: "busy" } } })
      yield* Deferred.succeed(over, void 0)
      expect(yield* Fiber.join(late)).toEqual([{ a: 2 }])
      yield* Fiber.join(held)
    })
  )

  it.scopedLive("ends statements that take too long, and transactions that do nothing", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      expect(codeOf(yield* Effect.flip(sql`SELECT pg_sleep(10)`))).toBe("57014")
      const idle = sql.withTransaction(
        Effect.zipRight(sql`SELECT 1`, Effect.zipRight(Effect.sleep("3500 millis"), sql`SELECT 1`))
      )
      expect(codeOf(yield* Effect.flip(idle))).toBe("25P03")
      expect(yield* sql`SELECT 1 AS a`).toEqual([{ a: 1 }])
    })
  )

  it.scopedLive("is held up by a server that falls silent for a while only, and goes on when it speaks again", () =>
    Effect.gen(function* () {
      const { url } = yield* clients
      const way = yield* Effect.acquireRelease(
        Effect.promise(() => silenceable(Number(new URL(url).port))),
        ({ close }) => Effect.sync(close)
      )
      const through = url.replace(/:\d+\//, `:${way.port}/`)
      const sql = yield* makeClient({ url: through, connections: 2, prepares: true, mostMs: 300, name: "test" })
      const ask = Effect.either(sql`SELECT 1 AS a`)
      const transact = Effect.exit(sql.withTransaction(sql`SELECT 1 AS a`))
      expect(Exit.isSuccess(yield* transact)).toBe(true)
      way.fallSilent()
      const ends = yield* Effect.all([ask, ask, ask, transact], { concurrency: "unbounded" })
      expect(ends.map(({ _tag }) => _tag)).toEqual(["Left", "Left", "Left", "Failure"])
      const waiting = yield* Effect.fork(Effect.all([ask, transact], { concurrency: "unbounded" }))
      yield* Effect.sleep("500 millis")
      way.speakAgain()
      // As many as there are connections, and more.
      const all = yield* Effect.all([ask, ask, ask, ask], { concurrency: "unbounded" })
      expect(all).toEqual(all.map(() => Either.right([{ a: 1 }])))
      expect(Exit.isSuccess(yield* transact)).toBe(true)
      yield* Fiber.join(waiting)
    })
  )

  it.scopedLive("keeps texts as they are, however long, and refuses for good what it can't keep", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const text = (value: string) =>
        Effect.map(sql<{ t: string }>`SELECT CAST(${value} AS TEXT) AS t`, ([row]) => row?.t)
      for (const kept of [
        "",
        "'; DROP TABLE accounts --",
        "\\x00 \\0 %00 \u0001\u007f",
        "😀é\u2028",
        "x".repeat(5_000_000)
      ]) {
        expect((yield* text(kept)) === kept).toBe(true)
      }
      // Half of a pair is no character.
      expect(yield* text("a\ud800b")).toBe("a\ufffdb")
      const nul = yield* Effect.flip(text("a\0b"))
      expect([codeOf(nul), isRefused(nul)]).toEqual(["22021", true])
      const planted = { id: "account", created_at: 0, limits: null, unpriced: "canary" }
      const wrong = [
        sql`INSERT INTO accounts ${sql.insert(planted)}`,
        sql`SELECT CAST(${"canary"} AS BIGINT)`,
        sql`INSERT INTO accounts (id, created_at) VALUES ('canary', 0), ('canary', 0)`
      ]
      for (const one of wrong) {
        const refused = yield* Effect.flip(one)
        expect(isRefused(refused)).toBe(true)
        expect(Bun.inspect(refused, { depth: 9 })).not.toContain("canary")
      }
      const id = Array.from({ length: 9_000 }, () => Math.random().toString(36)).join("")
      const long = yield* Effect.flip(sql`INSERT INTO accounts ${sql.insert({ id, ...now })}`)
      expect([codeOf(long), isRefused(long)]).toEqual(["54000", true])
    })
  )

  it.scopedLive("takes and gives whole numbers that a double holds exactly, and errors for others", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      for (const n of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
        expect(yield* sql`SELECT CAST(${n} AS BIGINT) AS n`).toEqual([{ n }])
      }
      const bad = [1.5, 2 ** 53, -(2 ** 53), 1e300, Number.NaN, Infinity]
      for (const n of bad) expect(codeOf(yield* Effect.flip(sql`SELECT CAST(${n} AS BIGINT) AS n`))).toBe("22003")
      for (const n of ["9007199254740992", "-9223372036854775808"]) {
        expect(codeOf(yield* Effect.flip(sql.unsafe(`SELECT CAST(${n} AS BIGINT) AS n`)))).toBe("22003")
      }
      // The connection is as good as before.
      expect(yield* sql`SELECT 1 AS a`).toEqual([{ a: 1 }])
    })
  )

  it.scoped("keeps nothing of a change that its caller left half-way", () =>
    Effect.gen(function* () {
      const { sql } = yield* clients
      const keys = yield* Effect.provide(Keys, Layer.provide(Keys.Default, Layer.succeed(SqlClient.SqlClient, sql)))
      expect(yield* keys.list({ all: true, offset: 0, limit: 9 }, 0)).toEqual([])
      const change = sql.withTransaction(
        Effect.zipRight(sql`INSERT INTO accounts ${sql.insert({ id: "half", ...now })}`, Effect.never)
      )
      const fiber = yield* Effect.fork(change)
      while (
        (yield* sql`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()`)
          .length === 0
      );
      yield* Fiber.interrupt(fiber)
      expect(yield* sql`SELECT id FROM accounts`).toEqual([])
    })
  )
})
