import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Patterns of the tools that keys and accounts may use. NULL: all, or none excepted. */
export const toolRules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const column of ["tools", "not_tools"]) {
    yield* sql`ALTER TABLE keys ADD COLUMN ${sql(column)} TEXT`
    yield* sql`ALTER TABLE accounts ADD COLUMN ${sql(column)} TEXT`
    yield* sql`ALTER TABLE accounts ADD COLUMN ${sql(`declared_${column}`)} TEXT`
  }
})
