import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Every configuration that was applied to the database; the newest is in effect. */
export const configurations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE configurations (
    version BIGINT PRIMARY KEY,
    document TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    applied_by TEXT NOT NULL,
    note TEXT
  )`
})
