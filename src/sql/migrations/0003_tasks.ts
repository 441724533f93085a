import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Durable tasks of every kind. Times are Unix ms, objects are JSON.
 *
 * `next_run_at` is when a worker may claim the task; while one holds it, it is the end of its lease. So one index finds
 * both due tasks and those of dead workers. The indexes are partial: finished tasks do not slow down claiming, expiring
 * and watching the active ones.
 */
export const tasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    tier TEXT,
    state TEXT NOT NULL,
    lane TEXT NOT NULL,
    upstream TEXT,
    upstream_id TEXT,
    submit_at BIGINT,
    callback_url TEXT,
    details TEXT NOT NULL,
    result TEXT,
    error TEXT,
    changes INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    lease_token TEXT,
    lease_owner TEXT,
    next_run_at BIGINT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT
  )`
  yield* sql`CREATE INDEX tasks_due ON tasks (lane, next_run_at) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX tasks_leased ON tasks (next_run_at) WHERE lease_token IS NOT NULL`
  yield* sql`CREATE INDEX tasks_expiring ON tasks (expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL`
  yield* sql`CREATE INDEX tasks_listed ON tasks (account_id, kind, created_at, id)`
  yield* sql`CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL`
  // Finds the owner of an upstream's video, and submits without an answer, after a crash.
  yield* sql`CREATE INDEX tasks_upstream_id ON tasks (upstream_id) WHERE upstream_id IS NOT NULL`
  yield* sql`CREATE INDEX tasks_unheard ON tasks (lane, submit_at) WHERE submit_at IS NOT NULL AND upstream_id IS NULL`
  // A task's request may have many megabytes, so it is not in the row that every poll rewrites.
  yield* sql`CREATE TABLE task_requests (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    request TEXT NOT NULL
  )`
})
