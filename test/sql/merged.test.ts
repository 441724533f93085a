import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { prepare } from "../../src/sql/prepare.ts"
import { database, describeOnEach } from "./engines.ts"

const live = Commits.Default.pipe(Layer.provideMerge(database()))

const setUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { commit: write } = yield* Commits
  const insert = prepare(sql, sql`INSERT INTO accounts (id, created_at) VALUES (${""}, ${0})`)
  const remove = prepare(sql, sql`DELETE FROM accounts WHERE id = ${""}`)
  const stored = Effect.map(sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`, (rows) =>
    rows.map(({ id }) => id)
  )
  return { sql, write, stored, add: (id: string) => insert([id, 0]).ahead, remove: (id: string) => remove([id]).ahead }
})

describeOnEach("statements sent ahead and nothing else", () => {
  it.effect("take effect one after the other", () =>
    Effect.gen(function* () {
      const { add, remove, stored, write } = yield* setUp
      yield* write(Effect.all([add("a"), add("b")]))
      yield* write(Effect.all([remove("a"), add("a")]))
      yield* write(Effect.all([add("c"), remove("c")]))
      expect(yield* stored).toEqual(["a", "b"])
    }).pipe(Effect.provide(live))
  )

  it.effect("have their texts as they are written", () =>
    Effect.gen(function* () {
      const { add, sql, stored, write } = yield* setUp
      const priced = prepare(sql, sql`INSERT INTO accounts (id, created_at) VALUES ('$1 ' || ${""}, ${0})`)
      yield* write(Effect.all([add("a"), priced(["b", 0]).ahead]))
      expect(yield* stored).toEqual(["$1 b", "a"])
    }).pipe(Effect.provide(live))
  )

  it.effect("may have more values than one statement takes", () =>
    Effect.gen(function* () {
      const { add, stored, write } = yield* setUp
      const many = Array.from({ length: 33_000 }, (_, n) => String(n))
      yield* write(Effect.forEach(many, add, { discard: true }))
      expect((yield* stored).length).toBe(many.length)
    }).pipe(Effect.provide(live))
  )

  it.effect("are all kept or none, whatever is made of the failure of what follows", () =>
    Effect.gen(function* () {
      const { add, sql, stored, write } = yield* setUp
      const some = Effect.all([add("a"), add("b\0"), add("c")])
      const exit = yield* Effect.exit(write(Effect.zipRight(some, Effect.ignore(sql`SELECT 1`))))
      expect((yield* stored).length).toBe(Exit.isSuccess(exit) ? 3 : 0)
    }).pipe(Effect.provide(live))
  )

  it.live("leave no connection behind where one of them is interrupted", () =>
    Effect.gen(function* () {
      const { sql, write } = yield* setUp
      // As many as there are connections, and more.
      for (let n = 0; n < 12; n++) {
        const one = yield* Effect.fork(Effect.uninterruptible(write(Effect.interruptible(sql`SELECT 1`))))
        yield* Effect.yieldNow()
        yield* Fiber.interruptFork(one)
        yield* Fiber.await(one)
      }
      expect(yield* write(sql`SELECT 1 AS a`)).toEqual([{ a: 1 }])
    }).pipe(Effect.provide(live))
  )
})
