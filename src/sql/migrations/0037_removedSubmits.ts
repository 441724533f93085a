import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Submits of removed tasks. Their videos are still in the upstream's list, and must not be mistaken for another task's.
 */
export const removedSubmits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE removed_submits (
    task_id TEXT PRIMARY KEY,
    lane TEXT NOT NULL,
    submit_at BIGINT NOT NULL,
    upstream_id TEXT
  )`
  yield* sql`CREATE INDEX removed_submits_at ON removed_submits (submit_at)`
  yield* sql`CREATE INDEX removed_submits_id ON removed_submits (upstream_id) WHERE upstream_id IS NOT NULL`
})
