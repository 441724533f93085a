import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When an account was deleted; its usage and payments are kept. */
export const deletedAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN deleted_at BIGINT`
})
