import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Whether models without a price may be used where money is counted: `allow` or `refuse`, null for what stands above it
 * (the account, the configuration file). `declared_unpriced` is what the file says of an account.
 */
export const unpriced = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN unpriced TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN unpriced TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_unpriced TEXT`
})
