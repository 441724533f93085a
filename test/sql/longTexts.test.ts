import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"

it.effect("a transaction on SQLite gives others a turn behind each long text that it writes", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    yield* sql`CREATE TABLE texts (text TEXT)`
    let turns = 0
    const insert = (length: number) =>
      Effect.zipRight(
        Effect.sync(() => void setImmediate(() => turns++)),
        sql`INSERT INTO texts VALUES (${"x".repeat(length)})`
      )
    const seen = yield* commits.commit(
      Effect.all([insert(10), Effect.sync(() => turns), insert(2_000_000), Effect.sync(() => turns)])
    )
    expect([seen[1], seen[3]]).toEqual([0, 2])
    expect(yield* sql`SELECT COUNT(*) AS n FROM texts`).toEqual([{ n: 2 }])
  }).pipe(Effect.provide(Layer.provideMerge(Commits.Default, layer({ url: "sqlite::memory:", exclusive: true }))))
)
