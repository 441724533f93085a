import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Accounts own everything; keys open them. Of a key only the SHA-256 of its secret is kept (hex). Times are Unix ms. */
export const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
  )`
  yield* sql`CREATE INDEX keys_account ON keys (account_id)`
})
