import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Inputs of background responses: SQLite rewrites a whole row with each of its updates, and an input may be many
 * megabytes. A response without a row here has its input in `responses`.
 */
export const responseInputs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE response_inputs (
    response_id TEXT PRIMARY KEY REFERENCES responses (id) ON DELETE CASCADE,
    input TEXT NOT NULL
  )`
})
