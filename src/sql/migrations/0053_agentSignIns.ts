import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Sign-ins of agents and command lines: device grants (RFC 8628) that wait for their person, and the tokens that they
 * became. All are known by their hash alone. A token stands for a key of its person, which has no secret.
 */
export const agentSignIns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE device_grants (
    hash TEXT PRIMARY KEY,
    user_code TEXT NOT NULL UNIQUE,
    surface TEXT NOT NULL,
    issues TEXT NOT NULL,
    client TEXT NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL,
    person_id TEXT,
    account_id TEXT,
    expires_at BIGINT NOT NULL,
    polled_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE person_tokens (
    hash TEXT PRIMARY KEY,
    sign_in TEXT NOT NULL,
    key_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    replaced_at BIGINT
  )`
  yield* sql`CREATE INDEX person_tokens_sign_in ON person_tokens (sign_in)`
})
