import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { gathered } from "../../src/sql/gathered.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-gathered-"))
afterAll(() => rmSync(folder, { recursive: true }))

const commitsOn = (name: string) =>
  Commits.Default.pipe(Layer.provideMerge(layer({ url: `sqlite:${join(folder, name)}`, exclusive: true })))

const setUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE numbers (n INTEGER NOT NULL UNIQUE)`
  const writes: Array<ReadonlyArray<number>> = []
  const add = gathered(yield* Commits, yield* Effect.runtime(), (rows: ReadonlyArray<number>) => {
    writes.push(rows)
    return Effect.forEach(rows, (n) => sql`INSERT INTO numbers ${sql.insert({ n })}`, { discard: true })
  })
  const stored = Effect.map(sql<{ n: number }>`SELECT n FROM numbers ORDER BY n`, (rows) => rows.map(({ n }) => n))
  return { add, stored, writes }
})

describe("gathered", () => {
  it.effect("writes rows that wait at the same moment at once, and answers when they are there", () =>
    Effect.gen(function* () {
      const { add, stored, writes } = yield* setUp
      yield* Effect.promise(() => Promise.all([add(1), add(2), add(3)]))
      expect(yield* stored).toEqual([1, 2, 3])
      yield* Effect.promise(() => add(4))
      expect(writes).toEqual([[1, 2, 3], [4]])
    }).pipe(Effect.provide(commitsOn("once.db")))
  )

  it.effect("rejects all that went with a row that can't be written, and goes on", () =>
    Effect.gen(function* () {
      const { add, stored } = yield* setUp
      const ends = yield* Effect.promise(() => Promise.allSettled([add(1), add(1), add(2)]))
      expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
      expect(yield* stored).toEqual([])
      yield* Effect.promise(() => add(1))
      expect(yield* stored).toEqual([1])
    }).pipe(Effect.provide(commitsOn("reject.db")))
  )
})
