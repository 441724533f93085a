import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The rule for models without a price for accounts with a balance: `allow` or `refuse`, null for the rule above it (the
 * account's, the configuration file's). `declared_unpriced` is the file's rule for an account.
 */
export const unpriced = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN unpriced TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN unpriced TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_unpriced TEXT`
})
