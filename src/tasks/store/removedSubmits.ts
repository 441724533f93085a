import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/**
 * Submits of removed tasks, for reconciliation: their videos stay in the upstream's list, where other tasks may look
 * for their own.
 */
export const removedSubmits = (sql: SqlClient.SqlClient) => ({
  /** Run it before the task is removed, in the same transaction. */
  keep: (tasks: Fragment) => sql`INSERT INTO removed_submits (task_id, lane, submit_at, upstream_id, fingerprint)
    SELECT id, lane, submit_at, upstream_id, fingerprint FROM tasks WHERE ${tasks} AND submit_at IS NOT NULL`,
  purge: (beforeMs: number) => sql`DELETE FROM removed_submits WHERE submit_at < ${beforeMs}`
})
