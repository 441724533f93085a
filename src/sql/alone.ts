import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Run it first in a transaction: until the transaction ends, no other of the same name runs, in any process. With
 * SQLite, transactions never overlap.
 */
export const makeAlone = (sql: SqlClient.SqlClient): ((name: string) => Effect.Effect<void, SqlError>) =>
  sql.onDialectOrElse({
    pg: () => (name: string) => Effect.asVoid(sql`SELECT pg_advisory_xact_lock(776003, hashtext(${name}))`),
    orElse: () => () => Effect.void
  })
