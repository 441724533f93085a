import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Accounts own everything; keys authenticate them. Of a key, only the SHA-256 of its secret is stored (hex). Times are
 * Unix ms; limits, models and domains are JSON. `access_version` counts changes, so that every process notices them.
 */
export const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL,
    limits TEXT NOT NULL DEFAULT '{}',
    search_allowed TEXT,
    search_blocked TEXT
  )`
  yield* sql`CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    models TEXT NOT NULL DEFAULT '["*"]',
    limits TEXT NOT NULL DEFAULT '{}',
    budget_nano_usd BIGINT,
    budget_period TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT
  )`
  yield* sql`CREATE INDEX keys_account ON keys (account_id)`
  yield* sql`CREATE TABLE access_version (version BIGINT NOT NULL)`
  yield* sql`INSERT INTO access_version (version) VALUES (0)`
})
