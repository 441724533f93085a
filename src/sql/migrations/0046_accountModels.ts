import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Patterns of models that the keys of an account may use, and of those that they may not: JSON, null for no rule. Those
 * of the configuration file (`declared_models`, `declared_not_models`) win.
 */
export const accountModels = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN models TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN not_models TEXT`
})
