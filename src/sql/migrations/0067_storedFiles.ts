import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Files that accounts upload, and uploads in parts until they are complete. A row is there before the first of its bytes
 * and goes after the last, so that no bytes are without a row. `due_at` is when they are removed.
 */
export const storedFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE stored_files (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    name TEXT NOT NULL,
    purpose TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    lives_ms BIGINT,
    due_at BIGINT,
    part_bytes BIGINT NOT NULL DEFAULT 0,
    part_count BIGINT NOT NULL DEFAULT 0
  )`
  yield* sql`CREATE INDEX stored_files_by_time ON stored_files (account_id, created_at, id)`
  yield* sql`CREATE INDEX stored_files_due ON stored_files (due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE TABLE stored_file_parts (
    file_id TEXT NOT NULL,
    id TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (file_id, id)
  )`
  yield* sql`CREATE TABLE stored_file_sums (
    account_id TEXT PRIMARY KEY,
    files BIGINT NOT NULL,
    bytes BIGINT NOT NULL
  )`
  yield* sql`ALTER TABLE accounts ADD COLUMN files_bytes BIGINT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_files_bytes BIGINT`
})
