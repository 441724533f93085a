import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Deliveries of callbacks. Times are Unix ms, `attempts` is JSON.
 *
 * `next_at` is when a delivery may be sent; while one is being sent, it is the end of its lease; null if nothing is
 * left to do or an earlier one of the task comes first. A webhook secret is never stored: `webhook_version` counts an
 * account's rotations, and the secret is derived from it.
 */
export const callbacks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    account_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    status TEXT NOT NULL,
    terminal INTEGER NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    next_at BIGINT,
    tries INTEGER NOT NULL DEFAULT 0,
    redelivery INTEGER NOT NULL DEFAULT 0,
    attempts TEXT NOT NULL DEFAULT '[]',
    delivered_at BIGINT,
    lease_token TEXT,
    lease_owner TEXT
  )`
  yield* sql`CREATE UNIQUE INDEX deliveries_task ON deliveries (task_id, sequence)`
  yield* sql`CREATE INDEX deliveries_due ON deliveries (host, next_at) WHERE next_at IS NOT NULL`
  yield* sql`CREATE INDEX deliveries_leased ON deliveries (lease_owner) WHERE lease_token IS NOT NULL`
  yield* sql`ALTER TABLE accounts ADD COLUMN webhook_version INTEGER NOT NULL DEFAULT 1`
  yield* sql`ALTER TABLE accounts ADD COLUMN webhook_rotated_at BIGINT`
})
