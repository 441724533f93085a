import { SqlClient as Client } from "@effect/sql"
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { isRefused } from "../../sql/isRefused.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"
import { laneOfBatch } from "./lanes.ts"
import type { BatchId } from "./lanes.ts"
import type { CounterChange } from "./budgetCounters.ts"
import {
  counting,
  days,
  following,
  followingOfNode,
  foldVersion,
  recordset,
  storing,
  storingOfBatch,
  usedNames
} from "./following.ts"
import { anyRow, byHour, columns, hourRow } from "./usageRows.ts"
import type { UsageRow } from "./usageRows.ts"

/** A released hold of a request. */
export interface GivenBack {
  readonly account: string
  readonly key: string
  readonly nanoUsd: number
}

/** The most ended tasks that one statement adds up. */
const atOnce = 500

/**
 * Usage on Postgres: one statement stores any number of rows with all their consequences, in one round trip and commit.
 * Separate statements in a transaction took eight round trips, with the day's row locked meanwhile.
 */
export const usageStatements = (sql: SqlClient.SqlClient) => {
  const write = prepare(
    sql,
    sql`WITH ${sql.literal(storingOfBatch("$4", "$5"))}, moved AS MATERIALIZED (
      SELECT account_id, key_id, -SUM(nano_usd)::bigint AS nano_usd, -SUM(nano_usd)::bigint AS of_node
      FROM ${sql.literal(recordset("$6", ["account_id", "key_id", "nano_usd"]))} WHERE EXISTS (SELECT 1 FROM lane)
      GROUP BY account_id, key_id
    ), cur AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM days UNION SELECT account_id FROM moved))
      ORDER BY id FOR NO KEY UPDATE
    ), ${sql.literal(followingOfNode)}, ${sql.literal(noted)}`
  )
  const leaveAll = prepare(
    sql,
    sql`WITH ${sql.literal(laneOfBatch)}, added AS (
      ${sql.literal(storing("$4"))} WHERE EXISTS (SELECT 1 FROM lane)
    ), unsummed AS (
      ${sql.literal(leaving("$5"))} WHERE EXISTS (SELECT 1 FROM lane)
    ), ${sql.literal(noted)}`
  )
  const leave = prepare(sql, sql`WITH added AS (${sql.literal(storing("$1"))}) ${sql.literal(leaving("$2"))}`)
  /** @param ids of the rows to add up, in order */
  const summing = (ids: Fragment) =>
    prepare(
      sql,
      sql`WITH hours AS MATERIALIZED (
      DELETE FROM usage_unsummed WHERE id IN (${ids} FOR UPDATE) RETURNING *
    ), ${sql.literal(days)}, moved AS MATERIALIZED (
      SELECT account_id, key_id, -SUM(held_nano_usd)::bigint AS nano_usd FROM hours GROUP BY account_id, key_id
    ), counted AS MATERIALIZED (
      SELECT changes.* FROM hours, json_to_recordset(hours.budgets::json) AS changes
        (budget text, subject text, step bigint, account_id text, ends_at bigint, used bigint, held bigint)
      WHERE hours.budgets IS NOT NULL
    ), cur AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM hours)) ORDER BY id FOR NO KEY UPDATE
    ), ${sql.literal(following)}, ${sql.literal(counting)}
    SELECT id FROM hours`
    )
  const some = sql`SELECT id FROM usage_unsummed WHERE fold <= ${sql.literal(String(foldVersion))}
    ORDER BY id LIMIT ${sql.literal(String(atOnce))}`
  const sumSome = summing(some)
  const sumOne = summing(sql`SELECT id FROM usage_unsummed WHERE id = ${""}`)
  /** Sets a row aside that can't be added up. `Grants` still counts it. */
  const setAside = (id: string, error: SqlError) =>
    Effect.zipRight(
      sql`UPDATE usage_unsummed SET fold = NULL WHERE id = ${id}`,
      Effect.annotateLogs(Effect.logError("the database refuses a sum of usage; it is set aside", error), {
        event: "usage.refused",
        unsummed: id
      })
    )
  const sumEach = Effect.flatMap(some, (found) =>
    Effect.forEach(unsummed.all(found), ({ id }) =>
      Effect.catchAll(sumOne([id]), (error) => (isRefused(error) ? setAside(id, error) : Effect.fail(error)))
    )
  )
  return {
    /**
     * Takes effect once, as `by` says: stores rows with their sums, and releases their holds. Returns `answer`, or no
     * row if it took no effect.
     */
    write: (by: BatchId, rows: ReadonlyArray<UsageRow>, back: ReadonlyArray<GivenBack>): Prepared =>
      write([by.node, by.lane, by.number, rowsText(rows), JSON.stringify(byHour(rows)), backText(back)]),
    /** The same for rows without a hold, whose sums are added up later (`sumUp`): it locks no shared row. */
    leaveAll: (by: BatchId, rows: ReadonlyArray<UsageRow>): Prepared =>
      leaveAll([
        by.node,
        by.lane,
        by.number,
        rowsText(rows),
        unsummedText(rows, `${by.node} ${by.lane} ${by.number}`, 0, [])
      ]),
    /** Stores a task's usage row, whose sums are added up later, in the transaction that ends the task. */
    leave: (
      id: string,
      row: UsageRow,
      heldNanoUsd: number,
      changes: ReadonlyArray<CounterChange>
    ): Effect.Effect<unknown, SqlError> =>
      leave([rowsText([row]), unsummedText([row], id, heldNanoUsd, changes)]).ahead,
    /** The same for a task without a charge. */
    leaveHold: (
      id: string,
      row: GivenBack,
      day: string,
      changes: ReadonlyArray<CounterChange>
    ): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO usage_unsummed ${sql.insert({
        ...hourRow(anyRow, 0),
        id: unknownToOlder(id),
        account_id: row.account,
        day,
        key_id: row.key,
        held_nano_usd: row.nanoUsd,
        fold: foldVersion,
        budgets: changes.length === 0 ? null : JSON.stringify(changes)
      })}`,
    /**
     * Adds up the usage left by ended tasks and requests; returns whether there may be more. Waits for a concurrent
     * run.
     */
    sumUp: Effect.suspend(() => sumSome([])).pipe(
      Effect.catchAll((error) => (isRefused(error) ? sumEach : Effect.fail(error))),
      Effect.map((taken) => taken.length === atOnce)
    )
  } as const
}

/**
 * An id that nodes before `usage_unsummed.fold` don't add up: they would lose the columns that they don't know. They pass
 * over ids that begin like this.
 */
const unknownToOlder = (id: string): string => `~${id}`

const unsummedNames = ["id", ...usedNames, "held_nano_usd", "budgets", "fold"]

/** Leaves sums to be added up later. */
const leaving = (place: string): string => `INSERT INTO usage_unsummed (${unsummedNames.join(", ")})
      SELECT ${unsummedNames.join(", ")} FROM ${recordset(place, unsummedNames)}`

/** Ends a statement that takes effect once and has nothing to answer. */
const noted = `noted AS (
      UPDATE node_batches SET batch = $3::bigint, answer = '[]' FROM lane
      WHERE node = $1 AND node_batches.lane = $2::int
    )
    SELECT '[]' AS answer FROM lane`

const unsummed = rows("usage_unsummed", { id: Schema.String })

/** Rows as the statements take them. */
export const rowsText = (rows: ReadonlyArray<UsageRow>): string => JSON.stringify(rows.map(columns))

/** @param id a unique id of these rows */
const unsummedText = (
  rows: ReadonlyArray<UsageRow>,
  id: string,
  heldNanoUsd: number,
  changes: ReadonlyArray<CounterChange>
): string =>
  JSON.stringify(
    byHour(rows).map((hour, n) => ({
      ...hour,
      id: unknownToOlder(n === 0 ? id : `${id} ${n}`),
      held_nano_usd: n === 0 ? heldNanoUsd : 0,
      budgets: n === 0 && changes.length > 0 ? JSON.stringify(changes) : null,
      fold: foldVersion
    }))
  )

export const backText = (back: ReadonlyArray<GivenBack>): string =>
  JSON.stringify(back.map(({ account, key, nanoUsd }) => ({ account_id: account, key_id: key, nano_usd: nanoUsd })))

/**
 * Adds up all usage left by ended tasks and requests. Run it before reading sums. Does nothing with SQLite, or in a
 * transaction, which would keep the accounts' rows locked.
 */
export const allSummed = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> => {
  const all = summed(sql)
  return Effect.flatMap(Effect.serviceOption(Client.TransactionConnection), (transaction) =>
    Option.isSome(transaction) ? Effect.void : all
  )
}

const summed = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  sql
    .onDialectOrElse({
      pg: () => Effect.repeat(usageStatements(sql).sumUp, { while: (isMore) => isMore }),
      orElse: () => Effect.succeed(false)
    })
    .pipe(Effect.asVoid)
