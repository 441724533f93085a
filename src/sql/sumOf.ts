import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/**
 * The sum of 64-bit integers as one, 0 of none: Postgres makes more of it, which its clients give as text; a sum that
 * does not fit is an error there.
 * @param of an expression of SQL, which holds nothing of a caller's
 */
export const sumOf = (sql: SqlClient.SqlClient, of: string): Fragment =>
  sql.literal(
    sql.onDialectOrElse({ pg: () => `COALESCE(SUM(${of}), 0)::bigint`, orElse: () => `COALESCE(SUM(${of}), 0)` })
  )
