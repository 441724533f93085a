import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Daemons } from "../../src/flow/Daemons.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { makeBatchWriter } from "../../src/sql/BatchWriter.ts"
import { committing } from "../../src/sql/Writes.ts"
import { prepare } from "../../src/sql/prepare.ts"
import { database, describeOnEach } from "./engines.ts"

const setUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const writes: Array<ReadonlyArray<string>> = []
  const insert = prepare(sql, sql`INSERT INTO accounts ${sql.insert({ id: "", created_at: 0 })}`)
  const { write: add } = yield* makeBatchWriter(
    "batches",
    100,
    committing(yield* Commits, "durable", (rows: ReadonlyArray<string>) => {
      writes.push(rows)
      return rows.map((id) => insert([id, 0]))
    })
  )
  const stored = Effect.map(sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`, (rows) =>
    rows.map(({ id }) => id)
  )
  return { add, stored, writes }
})

describeOnEach("a batch writer", () => {
  const live = Layer.merge(Commits.Default, Daemons.Default).pipe(Layer.provideMerge(database()))

  it.scoped("writes rows that wait at the same moment at once, and answers when they are there", () =>
    Effect.gen(function* () {
      const { add, stored, writes } = yield* setUp
      yield* Effect.promise(() => Promise.all([add("1"), add("2"), add("3")]))
      expect(yield* stored).toEqual(["1", "2", "3"])
      yield* Effect.promise(async () => add("4"))
      expect(writes).toEqual([["1", "2", "3"], ["4"]])
    }).pipe(Effect.provide(live))
  )

  it.scoped("rejects what the database refuses alone, keeps all that went with it, and goes on", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      yield* Effect.promise(async () => add("twice"))
      const some = ["a", "b", "twice", "c", "d", "e"]
      const ends = yield* Effect.promise(() => Promise.allSettled(some.map(async (id) => add(id))))
      expect(ends.map(({ status }) => status === "fulfilled")).toEqual(some.map((id) => id !== "twice"))
      expect(yield* stored).toEqual(["a", "b", "c", "d", "e", "twice"])
      yield* Effect.promise(async () => add("f"))
      expect(yield* stored).toContain("f")
    }).pipe(Effect.provide(live))
  )

  it.scoped("rejects all of a write that fails for another reason than its rows", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE accounts RENAME TO gone`
      const ends = yield* Effect.promise(() => Promise.allSettled([add("a"), add("b")]))
      yield* sql`ALTER TABLE gone RENAME TO accounts`
      expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"])
      expect(yield* stored).toEqual([])
    }).pipe(Effect.provide(live))
  )

  it.scoped("rejects what no statement can be made of, and goes on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = prepare(sql, sql`INSERT INTO accounts ${sql.insert({ id: "", created_at: 0 })}`)
      const { write: add } = yield* makeBatchWriter(
        "batches",
        100,
        committing(yield* Commits, "durable", (rows: ReadonlyArray<string>) =>
          rows.map((id) => {
            if (id === "") throw new Error("no id")
            return insert([id, 0])
          })
        )
      )
      const [end] = yield* Effect.promise(() => Promise.allSettled([add("")]))
      expect(end?.status).toBe("rejected")
      yield* Effect.promise(async () => add("next"))
    }).pipe(Effect.provide(live))
  )

  it.scoped("waits for another's transaction, and loses nothing of either", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      const added = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO accounts ${sql.insert({ id: "open", created_at: 0 })}`
          const written = add("between")
          // Long enough that it would have been written.
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
          return { written }
        })
      )
      yield* Effect.promise(async () => added.written)
      expect(yield* stored).toEqual(["between", "open"])
    }).pipe(Effect.provide(live))
  )
})
