import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When an account was suspended, and an index of deliveries by change, for operators' lists. */
export const operations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN suspended_at BIGINT`
  yield* sql`CREATE INDEX deliveries_changed_at ON deliveries (changed_at, id)`
})
