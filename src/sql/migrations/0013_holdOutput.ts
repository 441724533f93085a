import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The most output tokens that are held for an account's request; null for the request's maximum.
 * `declared_hold_output_tokens` is the configuration file's value for the account.
 */
export const holdOutput = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN hold_output_tokens BIGINT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_hold_output_tokens BIGINT`
})
