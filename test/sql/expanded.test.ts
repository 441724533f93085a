import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { makeClient } from "../../src/sql/postgres/Client.ts"
import { emptyUrl, engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe.runIf(inject("postgres") !== undefined)("a database that a newer gateway expands", () => {
  it.scopedLive("is written to by those that have it open, as if nothing had happened", () =>
    Effect.gen(function* () {
      const url = yield* postgres === undefined ? Effect.dieMessage("there is no Postgres") : emptyUrl(postgres)
      const newer = yield* makeClient({ url, connections: 1, prepares: false, name: "test" })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const commits = yield* Commits
        const write = commits.commit(
          Effect.zipRight(
            sql`UPDATE accounts SET limits = '{}' WHERE id = ${"a"} RETURNING *`,
            sql`SELECT * FROM accounts WHERE id = ${"a"}`
          )
        )
        yield* sql`INSERT INTO accounts (id, created_at) VALUES ('a', 0)`
        const many = Effect.all(
          Array.from({ length: 40 }, () => write),
          { concurrency: "unbounded" }
        )
        yield* many
        for (let column = 0; column < 3; column++) {
          yield* newer.unsafe(`ALTER TABLE accounts ADD COLUMN later_${column} INTEGER NOT NULL DEFAULT 7`)
          expect((yield* many).flat()).toHaveLength(40)
        }
      }).pipe(Effect.provide(Commits.Default.pipe(Layer.provideMerge(layer({ url, exclusive: true })))))
    })
  )
})
