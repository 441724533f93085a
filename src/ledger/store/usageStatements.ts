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
import { days, following, followingOfNode, recordset, usageColumns, usedNames } from "./following.ts"
import { anyRow, byHour, columnNames, columns, hourRow } from "./usageRows.ts"
import type { UsageRow } from "./usageRows.ts"

/** Money that a request of the node held, and does no more. */
export interface GivenBack {
  readonly account: string
  readonly key: string
  readonly nanoUsd: number
}

/** Ended tasks that one statement sums up at most. */
const atOnce = 500

/**
 * Usage on Postgres: any number of rows, and all that follows from them, is one statement. It is a trip and a commit,
 * where one statement after the other in a transaction was eight trips, with the day's row locked for others meanwhile.
 */
export const usageStatements = (sql: SqlClient.SqlClient) => {
  const write = prepare(
    sql,
    sql`WITH ${sql.literal(laneOfBatch)}, added AS (
      INSERT INTO usage (${sql.literal(usageColumns)})
      SELECT ${sql.literal(usageColumns)} FROM ${sql.literal(recordset("$4", columnNames))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), hours AS MATERIALIZED (
      SELECT * FROM ${sql.literal(recordset("$5", usedNames))} WHERE EXISTS (SELECT 1 FROM lane)
    ), ${sql.literal(days)}, moved AS MATERIALIZED (
      SELECT account_id, key_id, -SUM(nano_usd)::bigint AS nano_usd, -SUM(nano_usd)::bigint AS of_node
      FROM ${sql.literal(recordset("$6", ["account_id", "key_id", "nano_usd"]))} WHERE EXISTS (SELECT 1 FROM lane)
      GROUP BY account_id, key_id
    ), cur AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM days UNION SELECT account_id FROM moved))
      ORDER BY id FOR NO KEY UPDATE
    ), ${sql.literal(followingOfNode)}, noted AS (
      UPDATE node_batches SET batch = $3::bigint, answer = '[]' FROM lane
      WHERE node = $1 AND node_batches.lane = $2::int
    )
    SELECT '[]' AS answer FROM lane`
  )
  const unsummedNames = ["id", ...usedNames, "held_nano_usd"]
  const leaveAll = prepare(
    sql,
    sql`WITH ${sql.literal(laneOfBatch)}, added AS (
      INSERT INTO usage (${sql.literal(usageColumns)})
      SELECT ${sql.literal(usageColumns)} FROM ${sql.literal(recordset("$4", columnNames))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), unsummed AS (
      INSERT INTO usage_unsummed (${sql.literal(unsummedNames.join(", "))})
      SELECT ${sql.literal(unsummedNames.join(", "))} FROM ${sql.literal(recordset("$5", unsummedNames))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), noted AS (
      UPDATE node_batches SET batch = $3::bigint, answer = '[]' FROM lane
      WHERE node = $1 AND node_batches.lane = $2::int
    )
    SELECT '[]' AS answer FROM lane`
  )
  const leave = prepare(
    sql,
    sql`WITH added AS (
      INSERT INTO usage (${sql.literal(usageColumns)})
      SELECT ${sql.literal(usageColumns)} FROM ${sql.literal(recordset("$1", columnNames))}
    )
    INSERT INTO usage_unsummed (${sql.literal(unsummedNames.join(", "))})
    SELECT ${sql.literal(unsummedNames.join(", "))} FROM ${sql.literal(recordset("$2", unsummedNames))}`
  )
  /** @param ids of those that are added up, in their order */
  const summing = (ids: Fragment) =>
    prepare(
      sql,
      sql`WITH hours AS MATERIALIZED (
      DELETE FROM usage_unsummed WHERE id IN (${ids} FOR UPDATE) RETURNING *
    ), ${sql.literal(days)}, moved AS MATERIALIZED (
      SELECT account_id, key_id, -SUM(held_nano_usd)::bigint AS nano_usd FROM hours GROUP BY account_id, key_id
    ), cur AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM hours)) ORDER BY id FOR NO KEY UPDATE
    ), ${sql.literal(following)}
    SELECT id FROM hours`
    )
  const some = sql`SELECT id FROM usage_unsummed WHERE id NOT LIKE '~%' ORDER BY id LIMIT ${sql.literal(String(atOnce))}`
  const sumSome = summing(some)
  const sumOne = summing(sql`SELECT id FROM usage_unsummed WHERE id = ${""}`)
  /** One that no sum takes stays, and is passed over from now on: whoever gives or takes money still counts it (`Grants`). */
  const setAside = (id: string, error: SqlError) =>
    Effect.zipRight(
      sql`UPDATE usage_unsummed SET id = '~' || id WHERE id = ${id}`,
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
    /** Once, as `by` says: rows and their sums, and what was held for them. Answers `answer`, or no row where it took no effect. */
    write: (by: BatchId, rows: ReadonlyArray<UsageRow>, back: ReadonlyArray<GivenBack>): Prepared =>
      write([by.node, by.lane, by.number, rowsText(rows), JSON.stringify(byHour(rows)), backText(back)]),
    /**
     * The same for rows that nothing was held for, but what is to be added up for them once that is committed is only left
     * (`sumUp`): no row of anybody else is locked, so that others' commits need not wait for this one.
     */
    leaveAll: (by: BatchId, rows: ReadonlyArray<UsageRow>): Prepared =>
      leaveAll([
        by.node,
        by.lane,
        by.number,
        rowsText(rows),
        unsummedText(rows, `${by.node} ${by.lane} ${by.number}`, 0)
      ]),
    /**
     * A task's row, and what is to be added up for it once that is committed: in the transaction that ends the task, whose
     * other statements nobody else waits for.
     */
    leave: (id: string, row: UsageRow, heldNanoUsd: number): Effect.Effect<unknown, SqlError> =>
      leave([rowsText([row]), unsummedText([row], id, heldNanoUsd)]).ahead,
    /** The same for a task that is not paid for. */
    leaveHold: (id: string, row: GivenBack, day: string): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO usage_unsummed ${sql.insert({
        ...hourRow(anyRow, 0),
        id,
        account_id: row.account,
        day,
        key_id: row.key,
        held_nano_usd: row.nanoUsd
      })}`,
    /** Adds up what ended tasks and requests have left; answers whether there may be more. Whoever does at the same time is waited for. */
    sumUp: Effect.suspend(() => sumSome([])).pipe(
      Effect.catchAll((error) => (isRefused(error) ? sumEach : Effect.fail(error))),
      Effect.map((taken) => taken.length === atOnce)
    )
  } as const
}

const unsummed = rows("usage_unsummed", { id: Schema.String })

/** Rows as the statements take them. */
export const rowsText = (rows: ReadonlyArray<UsageRow>): string => JSON.stringify(rows.map(columns))

/** @param id whose rows they are, which nobody else's are */
const unsummedText = (rows: ReadonlyArray<UsageRow>, id: string, heldNanoUsd: number): string =>
  JSON.stringify(
    byHour(rows).map((hour, n) => ({
      ...hour,
      id: n === 0 ? id : `${id} ${n}`,
      held_nano_usd: n === 0 ? heldNanoUsd : 0
    }))
  )

export const backText = (back: ReadonlyArray<GivenBack>): string =>
  JSON.stringify(back.map(({ account, key, nanoUsd }) => ({ account_id: account, key_id: key, nano_usd: nanoUsd })))

/**
 * All that ended tasks and requests have left is added up when this succeeds; whoever reads sums runs it before. With SQLite there is
 * nothing to do; nor is there in a transaction, which would keep the accounts' rows locked.
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
