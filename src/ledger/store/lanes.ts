import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"

/** Identifies a statement that takes effect once: the node's id, the lane that sends it, and its number there. */
export interface BatchId {
  readonly node: string
  readonly lane: number
  readonly number: number
}

/**
 * Begins a statement that takes effect once, by its first three values: `lane` has a row, which is locked, if the
 * statement is to take effect. It has none if it already did or the node was declared dead.
 */
export const laneOfBatch = `lane AS MATERIALIZED (
  SELECT batch FROM node_batches WHERE node = $1 AND lane = $2::int AND batch < $3::bigint AND buried_at IS NULL FOR UPDATE
)`

/** The last batches of nodes, on Postgres. */
export const laneStatements = (sql: SqlClient.SqlClient) => {
  const find = prepare(
    sql,
    sql`SELECT batch, answer, CASE WHEN buried_at IS NULL THEN 0 ELSE 1 END AS buried FROM node_batches
      WHERE node = ${""} AND lane = ${0}`
  )
  return {
    /** Begins a lane, unless the node was declared dead. */
    begin: ({ lane, node }: BatchId): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO node_batches (node, lane, batch) SELECT id, ${lane}::int, 0 FROM nodes WHERE id = ${node}
        FOR KEY SHARE ON CONFLICT (node, lane) DO NOTHING`,
    /** The lane's last batch; undefined if there is none. */
    find: ({ lane, node }: BatchId) => Effect.map(find([node, lane]), batches.first),
    /** Voids a number: a statement sent with it takes no effect any more. Does nothing if it already has. */
    skip: ({ lane, node, number }: BatchId): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE node_batches SET batch = ${number}, answer = NULL
        WHERE node = ${node} AND lane = ${lane} AND batch < ${number}`,
    /**
     * Releases the holds of a dead node, in the transaction that declares it dead. It happens once, because the node's
     * lanes are closed: later statements of the node take no effect.
     */
    release: Effect.fnUntraced(function* (node: string): Effect.fn.Return<void, SqlError> {
      const now = sql`(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint`
      yield* sql`UPDATE node_batches SET buried_at = ${now} WHERE node = ${node}`
      yield* sql`WITH cur AS MATERIALIZED (
            SELECT id FROM accounts WHERE id IN (SELECT account_id FROM node_holds WHERE node = ${node}
              UNION SELECT account_id FROM node_budgets WHERE node = ${node})
            ORDER BY id FOR NO KEY UPDATE
          ), gone AS (
            DELETE FROM node_holds WHERE node = ${node} AND (SELECT COUNT(*) FROM cur) >= 0 RETURNING *
          ), of_budgets AS (
            DELETE FROM node_budgets WHERE node = ${node} AND (SELECT COUNT(*) FROM cur) >= 0 RETURNING *
          ), held AS (
            UPDATE accounts SET held_nano_usd = held_nano_usd - back.nano_usd
            FROM (SELECT account_id, SUM(nano_usd)::bigint AS nano_usd FROM gone GROUP BY account_id) AS back
            WHERE accounts.id = back.account_id
          )
          UPDATE budget_counters AS counter SET held = counter.held - back.held FROM of_budgets AS back
          WHERE counter.budget = back.budget AND counter.subject = back.subject AND counter.step = back.step`
      // The node may still ask for the outcome of its last batch, but not this late.
      yield* sql`DELETE FROM node_batches WHERE buried_at < ${now} - 86400000`
    })
  } as const
}

const answers = rows("node_batches", { answer: Schema.String })

/** The answer of a statement that took effect; undefined if it did not. */
export const answerOf = (found: ReadonlyArray<unknown>): string | undefined => answers.first(found)?.answer

const batches = rows("node_batches", {
  batch: Schema.Int,
  answer: Schema.NullOr(Schema.String),
  buried: Schema.Boolean
})
