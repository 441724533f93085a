import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { preparedAhead } from "../../src/sql/prepared.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const database = Layer.unwrapScoped(
  Effect.map(postgres?.url ?? Effect.dieMessage("there is no Postgres"), (url) => databaseAt({ url, exclusive: true }))
)
const live = Commits.Default.pipe(Layer.provideMerge(database))

const setUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { write } = yield* Commits
  const account = preparedAhead(sql, sql`INSERT INTO accounts (id, created_at) VALUES (${""}, ${0})`)
  const key = preparedAhead(
    sql,
    sql`INSERT INTO keys (id, hash, account_id, name, hint, created_at) VALUES (${""}, ${""}, ${""}, ${""}, ${""}, ${0})`
  )
  /** A write of two statements, of which the second one needs the first. */
  const add = (id: string, name = "") =>
    write(Effect.zipRight(account([id, 0]), key([`key of ${id}`, `hash of ${id}`, id, name, "", 0])))
  const stored = Effect.map(
    sql<{ id: string; by: string }>`SELECT accounts.id, accounts.xmin::text AS by FROM accounts
      JOIN keys ON account_id = accounts.id ORDER BY accounts.id`,
    (rows) => ({ ids: rows.map(({ id }) => id), commits: new Set(rows.map(({ by }) => by)).size })
  )
  return { add, stored }
})

const names = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(3, "0"))
const together = { concurrency: "unbounded" } as const

describe.runIf(inject("postgres") !== undefined)("writes that come while others are under way", () => {
  it.effect("share a statement with those that are alike", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(100)
      yield* Effect.forEach(ids, (id) => add(id), together)
      const { commits, ids: kept } = yield* stored
      expect(kept).toEqual(ids)
      // Two that find nobody before them, thrice 32, and what is left.
      expect(commits).toBeGreaterThanOrEqual(4)
      expect(commits).toBeLessThanOrEqual(8)
    }).pipe(Effect.provide(live))
  )

  it.effect("fail where the server refuses them, and fail nobody else", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(60)
      const exits = yield* Effect.forEach(
        ids,
        (id, n) => Effect.exit(add(n % 20 === 10 ? "000" : n % 20 === 15 ? "a\0b" : id)),
        together
      )
      const refused = ids.filter((_, n) => n % 20 === 10 || n % 20 === 15)
      expect(ids.filter((_, n) => Exit.isFailure(exits[n] ?? Exit.void))).toEqual(refused)
      expect((yield* stored).ids).toEqual(ids.filter((id) => !refused.includes(id)))
    }).pipe(Effect.provide(live))
  )

  it.effect("do not wait for much more than they write themselves", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ids = names(14)
      yield* Effect.forEach(ids, (id) => add(id, "x".repeat(500_000)), together)
      const { commits, ids: kept } = yield* stored
      expect(kept).toEqual(ids)
      expect(commits).toBe(8)
    }).pipe(Effect.provide(live))
  )
})
