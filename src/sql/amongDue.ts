import type { SqlClient } from "@effect/sql"
import type { Fragment, Statement } from "@effect/sql/Statement"

/**
 * That a row's `id` is among some that are due, for the statement that claims them. On Postgres whoever claims at the same
 * moment passes over these rows; and they are an array, or it would be free to look for more than the limit.
 *
 * @param some selects the ids, with a limit
 */
export const amongDue = (sql: SqlClient.SqlClient, some: Statement<unknown>): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`id = ANY (ARRAY(${some} FOR UPDATE SKIP LOCKED))`,
    orElse: () => sql`id IN (${some})`
  })
