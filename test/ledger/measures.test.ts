import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { measuresIn } from "../../src/contract/records/measures.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const tables = {
  usage: "usage",
  usage_days: "usage_days",
  usage_hours: "usage_hours",
  usage_unsummed: "usage_days",
  requests: "requests",
  request_days: "requests",
  request_hours: "requests"
} as const

describeOnEach("every measure", () => {
  for (const [table, measured] of Object.entries(tables)) {
    it.scoped(`has a column in ${table}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT ${sql.literal(measuresIn(measured).join(", "))} FROM ${sql(table)}`).toEqual([])
      }).pipe(Effect.provide(database()))
    )
  }
})
