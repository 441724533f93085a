import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { prepare } from "../../src/sql/prepare.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const setUp = Effect.gen(function* () {
  const url = yield* postgres?.url ?? Effect.dieMessage("there is no Postgres")
  const database = databaseAt({ url, exclusive: true })
  const built = yield* Layer.build(Commits.Default.pipe(Layer.provideMerge(database)))
  const sql = Context.get(built, SqlClient.SqlClient)
  const { commit: write } = Context.get(built, Commits)
  const account = prepare(sql, sql`INSERT INTO accounts (id, created_at) VALUES (${""}, ${0})`)
  const key = prepare(
    sql,
    sql`INSERT INTO keys (id, hash, account_id, name, hint, created_at) VALUES (${""}, ${""}, ${""}, ${""}, ${""}, ${0})`
  )
  /** A write of two statements, of which the second one needs the first. */
  const add = (id: string, name = "") =>
    write(Effect.zipRight(account([id, 0]).ahead, key([`key of ${id}`, `hash of ${id}`, id, name, "", 0]).ahead))
  const addAccount = (id: string) => write(account([id, 0]).ahead)
  const stored = Effect.map(
    sql<{ id: string; by: string }>`SELECT accounts.id, accounts.xmin::text AS by FROM accounts
      JOIN keys ON account_id = accounts.id ORDER BY accounts.id`,
    (rows) => ({ ids: rows.map(({ id }) => id), commits: new Set(rows.map(({ by }) => by)).size })
  )
  return { url, add, addAccount, stored }
})

const names = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(3, "0"))
const together = { concurrency: "unbounded" } as const

describe.runIf(inject("postgres") !== undefined)("writes that come while others are under way", () => {
  it.scopedLive("share a statement with those that are alike", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(100)
      yield* Effect.forEach(ids, (id) => add(id), together)
      const { commits, ids: kept } = yield* stored
      expect(kept).toEqual(ids)
      // Two that find an empty queue, thrice 32, and what is left.
      expect(commits).toBeGreaterThanOrEqual(4)
      expect(commits).toBeLessThanOrEqual(8)
    })
  )

  it.scopedLive("fail where the server refuses them, and fail no others", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(60)
      // Of two that come together either may be refused.
      yield* add("taken")
      const exits = yield* Effect.forEach(
        ids,
        (id, n) => Effect.exit(add(n % 20 === 10 ? "taken" : n % 20 === 15 ? "a\0b" : id)),
        together
      )
      const refused = ids.filter((_, n) => n % 20 === 10 || n % 20 === 15)
      expect(ids.filter((_, n) => Exit.isFailure(exits[n] ?? Exit.void))).toEqual(refused)
      expect((yield* stored).ids).toEqual([...ids.filter((id) => !refused.includes(id)), "taken"])
    })
  )

  it.scopedLive("do not wait for much more than they write themselves", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(14)
      yield* Effect.forEach(ids, (id) => add(id, "x".repeat(499_000)), together)
      const { commits, ids: kept } = yield* stored
      expect(kept).toEqual(ids)
      expect(commits).toBe(8)
    })
  )

  it.scopedLive("do not wait for long where two are held up in the server", () =>
    Effect.gen(function* () {
      const { add, addAccount, stored, url } = yield* setUp
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new Bun.SQL({ url, max: 1 })),
        (sql) => Effect.promise(() => sql.close({ timeout: 0 }))
      )
      yield* Effect.promise(async () => {
        await other.unsafe("BEGIN")
        await other.unsafe("INSERT INTO accounts (id, created_at) VALUES ('a', 0), ('b', 0)")
      })
      const heldUp = yield* Effect.forEach(["a", "b"], (id) => Effect.fork(add(id)))
      yield* Effect.sleep("20 millis")
      const begun = performance.now()
      yield* addAccount("c")
      yield* add("d")
      // Behind the others they would wait for a statement's longest time, 30 s.
      expect(performance.now() - begun).toBeLessThan(20_000)
      yield* Effect.promise(() => other.unsafe("ROLLBACK"))
      yield* Effect.forEach(heldUp, Fiber.join)
      expect((yield* stored).ids).toEqual(["a", "b", "d"])
    })
  )
})
