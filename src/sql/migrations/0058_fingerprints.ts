import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Fingerprints tell submits without an answer from each other in their upstream's list. Sealed as requests are; NULL
 * where an older gateway submitted.
 */
export const fingerprints = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tasks ADD COLUMN fingerprint TEXT`
  yield* sql`ALTER TABLE removed_submits ADD COLUMN fingerprint TEXT`
})
