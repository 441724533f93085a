import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/**
 * The sum of 64-bit integers as one, 0 without rows. Postgres widens such sums, which its clients return as text; here
 * an overflow is an error.
 *
 * @param of an SQL expression without a caller's text
 */
export const sumOf = (sql: SqlClient.SqlClient, of: string): Fragment =>
  sql.literal(
    sql.onDialectOrElse({ pg: () => `COALESCE(SUM(${of}), 0)::bigint`, orElse: () => `COALESCE(SUM(${of}), 0)` })
  )
