import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { sharedMoney } from "../../src/sql/copy/sharedMoney.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe.runIf(inject("postgres") !== undefined)("a database that one gateway has served alone", () => {
  it.scopedLive(
    "knows afterwards what its tasks hold, and what its keys have spent on their last day and in its month",
    () =>
      Effect.gen(function* () {
        const url = postgres === undefined ? yield* Effect.dieMessage("there is no Postgres") : yield* postgres.url
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO accounts (id, created_at) VALUES ('a', 0), ('b', 0)`
          for (const [id, key, nanoUsd] of [
            ["1", "k", 5],
            ["2", "k", 7],
            ["3", "l", 2]
          ] as const) {
            yield* sql`INSERT INTO holds ${sql.insert({
              id,
              at: 0,
              request_id: id,
              account_id: "a",
              key_id: key,
              model: "m",
              upstream: "u",
              price: "",
              nano_usd: nanoUsd
            })}`
          }
          yield* sql`INSERT INTO key_spending (key_id, day, nano_usd)
          VALUES ('k', '2026-01-31', 100), ('k', '2026-02-01', 10), ('k', '2026-02-03', 1), ('m', '2026-02-02', 3)`
          yield* sharedMoney(sql)
          expect(yield* sql`SELECT id, held_nano_usd AS held FROM accounts ORDER BY id`).toEqual([
            { id: "a", held: 14 },
            { id: "b", held: 0 }
          ])
          const of = (key: string, held: number, day: string, ofDay: number, ofMonth: number) => ({
            key_id: key,
            held_nano_usd: held,
            day,
            day_nano_usd: ofDay,
            month_nano_usd: ofMonth
          })
          expect(yield* sql`SELECT * FROM key_budgets ORDER BY key_id`).toEqual([
            of("k", 12, "2026-02-03", 1, 11),
            of("l", 2, "", 0, 0),
            of("m", 0, "2026-02-02", 3, 3)
          ])
          expect(yield* sql`SELECT DISTINCT confirmed FROM holds`).toEqual([{ confirmed: 1 }])
        }).pipe(Effect.provide(databaseAt({ url, exclusive: false })))
      })
  )
})
