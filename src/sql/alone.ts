import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * For the beginning of a transaction: until it ends nobody else is in one of the same name, in any process. With SQLite
 * nobody is in any other.
 */
export const makeAlone = (sql: SqlClient.SqlClient): ((name: string) => Effect.Effect<void, SqlError>) =>
  sql.onDialectOrElse({
    pg: () => (name: string) => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(776003, hashtext(${name}))`),
    orElse: () => () => Effect.void
  })
