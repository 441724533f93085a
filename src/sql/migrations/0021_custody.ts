import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Copies of upstreams' files: to be made from `source`, or made already as `file_id`. */
export const custody = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE custody (
    task_id TEXT NOT NULL,
    part TEXT NOT NULL,
    name TEXT NOT NULL,
    source TEXT,
    file_id TEXT,
    begun_at BIGINT NOT NULL,
    bytes BIGINT,
    tries BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    lease_owner TEXT,
    lease_token TEXT,
    PRIMARY KEY (task_id, part)
  )`
  yield* sql`CREATE INDEX custody_due ON custody (due_at)`
})
