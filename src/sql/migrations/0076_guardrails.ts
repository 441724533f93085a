import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Names of the guardrails of keys and accounts. NULL: none. */
export const guardrails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN guardrails TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN guardrails TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_guardrails TEXT`
})
