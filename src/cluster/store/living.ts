import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/** SQL condition for statements that write a row owned by a node: the node exists, and can't be reaped before the commit. */
export const isLiving = (sql: SqlClient.SqlClient, node: string): Fragment =>
  sql`EXISTS (SELECT 1 FROM nodes WHERE id = ${node} FOR KEY SHARE)`

/** The expiry of what a living node holds, in Unix ms: never, which is the end of 9999. */
export const whileItLives = 253_402_300_799_000
