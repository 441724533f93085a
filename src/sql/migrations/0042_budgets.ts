import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Budgets of keys and accounts, as JSON; a key without them has the one of `budget_nano_usd`, if any. `budget_counters`
 * holds what was used and is held in each step of a window, for all requests (`subject` is empty), a tag or an end user;
 * `forgiven` is what was used before a reset. Holds are in memory with SQLite. On Postgres, `held` is the sum of
 * `node_budgets`, of `holds.budgets` and of those in `usage_unsummed`.
 */
export const budgets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN budgets TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN budgets TEXT NOT NULL DEFAULT '[]'`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_budgets TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN trusts_end_user INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_trusts_end_user INTEGER`
  yield* sql`ALTER TABLE holds ADD COLUMN budgets TEXT`
  yield* sql`ALTER TABLE usage_unsummed ADD COLUMN budgets TEXT`
  yield* sql`CREATE TABLE budget_counters (
    budget TEXT NOT NULL,
    subject TEXT NOT NULL,
    step BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    ends_at BIGINT NOT NULL,
    used BIGINT NOT NULL DEFAULT 0,
    forgiven BIGINT NOT NULL DEFAULT 0,
    held BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (budget, subject, step)
  )`
  yield* sql`CREATE INDEX budget_counters_ends_at ON budget_counters (ends_at)`
  yield* sql`CREATE INDEX budget_counters_own ON budget_counters (account_id, ends_at) WHERE subject <> '' AND subject <> '*'`
  yield* sql`CREATE TABLE node_budgets (
    node TEXT NOT NULL,
    budget TEXT NOT NULL,
    subject TEXT NOT NULL,
    step BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    held BIGINT NOT NULL,
    PRIMARY KEY (node, budget, subject, step)
  )`
})

/** Computed from tasks' holds: what budgets hold on Postgres. */
export const heldByBudgets = (sql: SqlClient.SqlClient) =>
  sql`INSERT INTO budget_counters (budget, subject, step, account_id, ends_at, held)
    SELECT one.budget, one.subject, one.step, MIN(one.account), MAX(one."endsAt"), SUM(one.amount)::bigint
    FROM holds, json_to_recordset(holds.budgets::json) AS one
      (budget text, subject text, step bigint, account text, "endsAt" bigint, amount bigint)
    WHERE holds.budgets IS NOT NULL GROUP BY one.budget, one.subject, one.step
    ON CONFLICT (budget, subject, step) DO UPDATE SET held = excluded.held`
