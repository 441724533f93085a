import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { postgres } from "./postgres.ts"
import { sqlite } from "./sqlite.ts"

/** The whole schema of version 1.0.0, in one step: what both engines have in common, and what each says in its own words. */
export const baseline = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = sql.onDialectOrElse({ pg: () => postgres, orElse: () => sqlite })
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* sql`INSERT INTO access_version (version) VALUES (0)`
})
