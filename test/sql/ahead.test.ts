import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { errorCode } from "../../src/sql/errorCode.ts"
import { isRefused } from "../../src/sql/isRefused.ts"
import { prepare } from "../../src/sql/prepare.ts"
import { database, describeOnEach } from "./engines.ts"

const live = Commits.Default.pipe(Layer.provideMerge(database()))

/** Adds an account, without waiting for it where that is another process's work. */
const adding = Effect.map(SqlClient.SqlClient, (sql) => {
  const insert = prepare(sql, sql`INSERT INTO accounts (id, created_at) VALUES (${""}, ${0})`)
  return (id: string) => insert([id, 0]).ahead
})

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`, (rows) => rows.map(({ id }) => id))
)

describeOnEach("statements sent ahead", () => {
  it.effect("are all stored with their transaction, and seen by what follows in it", () =>
    Effect.gen(function* () {
      const { commit: write } = yield* Commits
      const add = yield* adding
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const three = Effect.all([add("a"), add("b"), add("c")])
      const seen = yield* write(Effect.zipRight(three, Effect.provide(accounts, context)))
      expect(seen).toEqual(["a", "b", "c"])
      expect(yield* accounts).toEqual(["a", "b", "c"])
    }).pipe(Effect.provide(live))
  )

  it.effect("fail their transaction, whatever follows in it, with their own fault, and no other one", () =>
    Effect.gen(function* () {
      const { commit: write } = yield* Commits
      const add = yield* adding
      yield* write(add("a"))
      const last = Effect.zipRight(add("b"), add("a"))
      const followed = Effect.zipRight(Effect.zipRight(add("c"), add("a")), accounts)
      const sound = write(add("e"))
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const all = [last, followed].map((one) => Effect.flip(write(Effect.provide(one, context))))
      const [failures] = yield* Effect.all([Effect.all(all), sound], { concurrency: "unbounded" })
      expect(failures.map((error) => isRefused(error) || errorCode(error.cause))).toEqual([true, true])
      expect(yield* accounts).toEqual(["a", "e"])
    }).pipe(Effect.provide(live))
  )

  it.effect("are as good outside of a transaction", () =>
    Effect.gen(function* () {
      const add = yield* adding
      yield* add("a")
      expect(isRefused(yield* Effect.flip(add("a")))).toBe(true)
    }).pipe(Effect.provide(live))
  )
})
