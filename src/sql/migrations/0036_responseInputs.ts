import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Inputs of background responses, apart because SQLite rewrites the whole row at each update and an input may have many
 * megabytes. A response without a row here has its input in `responses`.
 */
export const responseInputs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE response_inputs (
    response_id TEXT PRIMARY KEY REFERENCES responses (id) ON DELETE CASCADE,
    input TEXT NOT NULL
  )`
})
