import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * People who sign in with their company's account, known by issuer and subject, never by e-mail. Keys and sessions may be
 * a person's. The audit log names who acted; its older rows keep their text, as it is append-only.
 */
export const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE people (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    groups TEXT NOT NULL,
    role TEXT NOT NULL,
    accounts TEXT NOT NULL,
    bodies INTEGER NOT NULL,
    seen_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    ended_at BIGINT,
    UNIQUE (issuer, subject)
  )`
  yield* sql`ALTER TABLE keys ADD COLUMN person_id TEXT`
  yield* sql`CREATE INDEX keys_person ON keys (person_id) WHERE person_id IS NOT NULL`
  yield* sql`ALTER TABLE sessions ADD COLUMN person_id TEXT`
  yield* sql`ALTER TABLE audit ADD COLUMN actor_name TEXT`
})
