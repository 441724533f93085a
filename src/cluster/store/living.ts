import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/**
 * The condition under which a row may name a node as its owner, in the statement that writes it: the node is there, and
 * nobody buries it before that is committed.
 */
export const isLiving = (sql: SqlClient.SqlClient, node: string): Fragment =>
  sql`EXISTS (SELECT 1 FROM nodes WHERE id = ${node} FOR KEY SHARE)`

/** When what a node holds is due again by the clock, in Unix ms: never, which is the end of 9999. */
export const whileItLives = 253_402_300_799_000
