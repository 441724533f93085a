import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The keys that made stored responses, turns of threads and what upstreams keep, because a person's key opens only what
 * their own keys made. Empty for older rows; null for what was made elsewhere and first named here, which is its
 * account's.
 */
export const makers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE responses ADD COLUMN key_id TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE thread_turns ADD COLUMN key_id TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE upstream_ids ADD COLUMN key_id TEXT`
})
