import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * States of sign-ins and logout tokens that were taken, so that each counts once; a person's tokens, sealed; the
 * provider's own session that opened one here; and the reason that a person's keys don't work for now.
 */
export const signIns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE sign_ins (
    hash TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE provider_tokens (
    person_id TEXT PRIMARY KEY,
    refresh_token TEXT,
    id_token TEXT,
    tried_at BIGINT NOT NULL,
    failing_since BIGINT
  )`
  yield* sql`CREATE INDEX sessions_person ON sessions (person_id) WHERE person_id IS NOT NULL`
  yield* sql`ALTER TABLE sessions ADD COLUMN provider_session TEXT`
  yield* sql`ALTER TABLE people ADD COLUMN held TEXT`
})
