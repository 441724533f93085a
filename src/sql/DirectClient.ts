import type { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { readsAtOnce } from "./ReadsAtOnce.ts"

/**
 * A client that can send statements outside of transactions straight to a connection. The span, scope and context
 * lookup of `sql` cost as much CPU time as the driver.
 */
export interface DirectClient extends SqlClient.SqlClient {
  /** A shared connection: no transaction may begin on it. */
  readonly direct: Connection
  /** Sends a statement outside of a transaction, from plain code; `ended` gets its rows or the error. */
  readonly send: (text: string, values: ReadonlyArray<unknown>, ended: Ended) => void
  /** Reserves a connection, which must be released with `leave`. Must not be interrupted. */
  readonly hold: Effect.Effect<ReservedConnection, SqlError>
}

export type Ended = (rows: ReadonlyArray<unknown> | SqlError) => void

/** A reserved connection. */
export interface ReservedConnection {
  readonly connection: Connection
  /** Returns the connection to the pool. */
  readonly leave: Effect.Effect<void>
}

/** Runs a statement outside of a transaction, the fastest way that its client offers. */
export const runOutside = (
  sql: SqlClient.SqlClient,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  isDirect(sql)
    ? sql.direct.execute(text, values, undefined)
    : Effect.suspend(() => (readsAtOnce(sql) ? sql.readAtOnce(text, values) : undefined) ?? sql.unsafe(text, values))

export const isDirect = (sql: SqlClient.SqlClient): sql is DirectClient => "direct" in sql
