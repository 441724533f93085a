import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Everything that defines a database but its rows, a line each, in an order that no version of an engine changes: SQLite's
 * own statements without their layout; on Postgres columns by place, constraints, indexes, triggers and functions.
 */
export const storedSchema = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql.unsafe<Line>(onPostgres),
      orElse: () => sql.unsafe<Line>(onSqlite)
    }),
    (found) =>
      found
        .map(({ line }) => plain(line))
        .sort()
        .map((line) => `${line}\n`)
        .join("")
  )
)

interface Line {
  readonly line: string
}

/** Without layout, which the two ways to a table leave different. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .replaceAll(/"(\w+)"/g, "$1")
    .trim()

const onSqlite = `SELECT sql AS line FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name <> 'migrations' AND name NOT LIKE 'sqlite_%'`

const ours = "relnamespace = current_schema()::regnamespace AND relname <> 'migrations'"

const onPostgres = `
  SELECT 'table ' || relname || ': ' || string_agg(attname || ' ' || format_type(atttypid, atttypmod)
      || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || CASE attidentity WHEN '' THEN '' ELSE ' IDENTITY' END
      || COALESCE(' DEFAULT ' || pg_get_expr(adbin, adrelid), ''), ', ' ORDER BY attnum) AS line
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind = 'r' AND ${ours} GROUP BY relname
  UNION ALL SELECT 'constraint ' || relname || '.' || conname || ': ' || pg_get_constraintdef(pg_constraint.oid)
    FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid WHERE contype <> 'n' AND ${ours}
  UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON indrelid = pg_class.oid WHERE ${ours}
  UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid
    WHERE NOT tgisinternal AND ${ours}
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`
