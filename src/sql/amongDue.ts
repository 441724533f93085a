import type { SqlClient } from "@effect/sql"
import type { Fragment, Statement } from "@effect/sql/Statement"

/**
 * A condition that a row's `id` is among the due ones, for a claiming statement. On Postgres, concurrent claims skip
 * these rows; the ids are an array, because a subquery may be evaluated more than once and exceed its limit.
 *
 * @param some selects the ids, with a limit
 */
export const amongDue = (sql: SqlClient.SqlClient, some: Statement<unknown>): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`id = ANY (ARRAY(${some} FOR UPDATE SKIP LOCKED))`,
    orElse: () => sql`id IN (${some})`
  })
