import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Recorded bodies of requests, redacted and cut (`at` in Unix ms). */
export const requestBodies = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE request_bodies (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL,
    is_cut BIGINT NOT NULL
  )`
  yield* sql`CREATE INDEX request_bodies_at ON request_bodies (at)`
  yield* sql`CREATE INDEX request_bodies_account ON request_bodies (account_id)`
})
