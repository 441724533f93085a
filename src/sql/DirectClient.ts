import type { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { readsAtOnce } from "./ReadsAtOnce.ts"

/**
 * A client whose statements outside of transactions may go straight to a connection. What `sql` does for each otherwise
 * (a span, a scope, a look at the fiber's context) costs as much of this process as the driver does.
 */
export interface DirectClient extends SqlClient.SqlClient {
  /** Of nobody's own: no transaction may begin on it. */
  readonly direct: Connection
  /** Sends a statement that is in no transaction, in plain code; `ended` hears its rows, or why there are none. */
  readonly send: (text: string, values: ReadonlyArray<unknown>, ended: Ended) => void
  /** A connection of one's own, which is to be left. Not to be interrupted. */
  readonly hold: Effect.Effect<ReservedConnection, SqlError>
}

export type Ended = (rows: ReadonlyArray<unknown> | SqlError) => void

/** A connection that nobody else has. */
export interface ReservedConnection {
  readonly connection: Connection
  /** Gives it back. */
  readonly leave: Effect.Effect<void>
}

/** Runs a statement that is in no transaction, by the shortest way that its client has. */
export const runOutside = (
  sql: SqlClient.SqlClient,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  isDirect(sql)
    ? sql.direct.execute(text, values, undefined)
    : Effect.suspend(() => (readsAtOnce(sql) ? sql.readAtOnce(text, values) : undefined) ?? sql.unsafe(text, values))

export const isDirect = (sql: SqlClient.SqlClient): sql is DirectClient => "direct" in sql
