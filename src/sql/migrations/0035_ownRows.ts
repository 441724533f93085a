import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Indexes of an account's own rows: requests, and tasks and callbacks of any kind. */
export const ownRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX requests_account ON requests (account_id, id)`
  yield* sql`CREATE INDEX tasks_account ON tasks (account_id, created_at, id)`
  yield* sql`CREATE INDEX deliveries_account ON deliveries (account_id, changed_at, id)`
})
