import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The place of a key's `hint` in its secret: `end` for the last four characters, `middle` for the four before the
 * checksum, as older gateways stored it. The index finds what a key has used.
 */
export const keyHints = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN hint_form TEXT NOT NULL DEFAULT 'middle'`
  yield* sql`CREATE INDEX usage_days_key ON usage_days (key_id, day)`
})
