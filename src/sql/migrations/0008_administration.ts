import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Tables for operators. `usage_days` sums the usage rows of each account, UTC day, key and model, so that a report
 * reads days, not requests. `audit` is append-only; `before` and `after` are JSON without secrets. `task_cancellations`
 * passes a command's cancellation to the server, which alone may end a task: `outcome` is its answer.
 */
export const administration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE usage_days (
    account_id TEXT NOT NULL,
    day TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    video_frames BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, key_id, model)
  )`
  yield* sql`CREATE INDEX usage_days_day ON usage_days (day)`
  yield* sql`INSERT INTO usage_days
    SELECT account_id, strftime('%Y-%m-%d', at / 1000, 'unixepoch') AS day, key_id, model, COUNT(*), SUM(input_tokens),
      SUM(cache_read_tokens), SUM(cache_write_tokens), SUM(output_tokens), SUM(reasoning_tokens), SUM(searches),
      SUM(video_frames), SUM(cost_nano_usd)
    FROM usage GROUP BY account_id, day, key_id, model`
  yield* sql`CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    before TEXT,
    after TEXT
  )`
  yield* sql`CREATE INDEX audit_target ON audit (target, id)`
  yield* sql`CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END`
  yield* sql`CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END`
  yield* sql`CREATE TABLE task_cancellations (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    asked_at BIGINT NOT NULL,
    outcome TEXT
  )`
  yield* sql`CREATE INDEX task_cancellations_open ON task_cancellations (asked_at) WHERE outcome IS NULL`
  yield* sql`CREATE INDEX tasks_created ON tasks (created_at, id)`
})
