import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Output tokens that are set aside at most for an account's request which may write more; null for all that it may.
 * `declared_hold_output_tokens` is what the configuration file says of the account.
 */
export const holdOutput = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN hold_output_tokens BIGINT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_hold_output_tokens BIGINT`
})
