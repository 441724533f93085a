import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Batches of requests and their lines. A batch is a task too, which ends it; `stop` says how lines end that have not begun.
 * `due_at` is when a batch is removed. `node` runs a line. `request` is sealed, and goes with the result.
 */
export const batches = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    state TEXT NOT NULL,
    total BIGINT NOT NULL DEFAULT 0,
    succeeded BIGINT NOT NULL DEFAULT 0,
    errored BIGINT NOT NULL DEFAULT 0,
    canceled BIGINT NOT NULL DEFAULT 0,
    expired BIGINT NOT NULL DEFAULT 0,
    cost_nano_usd BIGINT NOT NULL DEFAULT 0,
    stop TEXT,
    details TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    cancel_at BIGINT,
    ended_at BIGINT,
    due_at BIGINT
  )`
  yield* sql`CREATE INDEX batches_by_time ON batches (account_id, created_at, id)`
  yield* sql`CREATE INDEX batches_running ON batches (created_at, id) WHERE state = 'running'`
  yield* sql`CREATE INDEX batches_due ON batches (due_at) WHERE due_at IS NOT NULL`
  yield* sql`CREATE TABLE batch_lines (
    batch_id TEXT NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    custom_id TEXT NOT NULL,
    request TEXT,
    attempts BIGINT NOT NULL DEFAULT 0,
    tries BIGINT NOT NULL DEFAULT 0,
    next_at BIGINT NOT NULL DEFAULT 0,
    node TEXT,
    outcome TEXT,
    status BIGINT,
    request_id TEXT,
    result TEXT,
    PRIMARY KEY (batch_id, place)
  )`
  yield* sql`CREATE INDEX batch_lines_waiting ON batch_lines (batch_id, next_at, place)
    WHERE outcome IS NULL AND node IS NULL`
  yield* sql`CREATE INDEX batch_lines_node ON batch_lines (node) WHERE node IS NOT NULL`
})
