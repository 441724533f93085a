import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The hash of the secret that a key had before its last rotation, and until when it works beside the new one. */
export const oldSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN old_hash TEXT`
  yield* sql`ALTER TABLE keys ADD COLUMN old_until BIGINT`
  yield* sql`CREATE INDEX keys_old_hash ON keys (old_hash) WHERE old_hash IS NOT NULL`
})
