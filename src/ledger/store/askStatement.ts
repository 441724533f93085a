import type { SqlClient } from "@effect/sql"
import { Schema } from "effect"
import type { Budget } from "../../contract/Caller.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"
import { laneOfBatch } from "./lanes.ts"
import type { BatchId } from "./lanes.ts"
import { days, followingOfNode, recordset, usageColumns, usedNames } from "./following.ts"
import type { StoredHold } from "./holds.ts"
import { backText, rowsText, usageStatements } from "./usageStatements.ts"
import type { GivenBack } from "./usageStatements.ts"
import { byHour, columnNames } from "./usageRows.ts"
import type { UsageRow } from "./usageRows.ts"

/** A request for a hold, in nano-dollars. */
export interface HoldRequest {
  readonly account: string
  readonly key: string
  readonly nanoUsd: number
  readonly budget: Budget | undefined
  /** A task's row, which outlives the node. */
  readonly row: StoredHold | undefined
}

/**
 * The verdict on a request for a hold: its place, whether it is held, and what account and key had left before the
 * whole batch.
 */
const Verdict = Schema.Tuple(Schema.Int, Schema.Literal(0, 1), Schema.NullOr(Schema.Int), Schema.NullOr(Schema.Int))
export type Verdict = typeof Verdict.Type
export const decodeVerdicts = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Verdict)))

/** A node's changes of money since its last batch. */
export interface MoneyChanges {
  readonly asked: ReadonlyArray<HoldRequest>
  readonly back: ReadonlyArray<GivenBack>
  /** The usage of requests. Their holds are in `back`. */
  readonly used: ReadonlyArray<UsageRow>
}

/**
 * Stores usage, releases holds and places holds for requests of all of a node's accounts in one statement, in order:
 * the row of an account or key is locked once for all of them. A request is held if account and key cover it along with
 * everything before it in the batch; the caller asks again for the rest if it may fit. Every statement locks accounts
 * before keys, each in the order of ids, so there is no deadlock. Keys' spending is read from the locked row, since
 * other tables may be older than the lock.
 */
export const askStatement = (
  sql: SqlClient.SqlClient
): ((by: BatchId, changes: MoneyChanges, today: string) => Prepared) => {
  const ask = prepare(
    sql,
    sql`WITH ${sql.literal(laneOfBatch)}, added AS (
      INSERT INTO usage (${sql.literal(usageColumns)})
      SELECT ${sql.literal(usageColumns)} FROM ${sql.literal(recordset("$7", columnNames))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), hours AS MATERIALIZED (
      SELECT * FROM ${sql.literal(recordset("$8", usedNames))} WHERE EXISTS (SELECT 1 FROM lane)
    ), ${sql.literal(days)}, asked AS MATERIALIZED (
      SELECT * FROM json_to_recordset($4::text::json) AS given
        (n int, account_id text, key_id text, nano_usd bigint, budget bigint, period text, task json)
      WHERE EXISTS (SELECT 1 FROM lane)
    ), back AS MATERIALIZED (
      SELECT * FROM ${sql.literal(recordset("$5", ["account_id", "key_id", "nano_usd"]))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), cur AS MATERIALIZED (
      SELECT id, granted_nano_usd AS granted, settled_nano_usd AS settled, held_nano_usd AS held FROM accounts
      WHERE id = ANY (ARRAY(
        SELECT account_id FROM asked UNION SELECT account_id FROM back UNION SELECT account_id FROM days))
      ORDER BY id FOR NO KEY UPDATE
    ), budgets AS MATERIALIZED (
      SELECT key_id, held_nano_usd AS held, day, day_nano_usd AS day_spent, month_nano_usd AS month_spent FROM key_budgets
      WHERE key_id = ANY (ARRAY(SELECT key_id FROM asked)) AND (SELECT COUNT(*) FROM cur) >= 0
      ORDER BY key_id FOR NO KEY UPDATE
    ), accounts_left AS (
      SELECT id, granted - settled - held
        + COALESCE((SELECT SUM(nano_usd) FROM back WHERE back.account_id = cur.id), 0)
        - COALESCE((SELECT SUM(cost_nano_usd) FROM days WHERE days.account_id = cur.id), 0) AS nano_usd FROM cur
    ), keys_used AS (
      SELECT key_id, held - COALESCE((SELECT SUM(nano_usd) FROM back WHERE back.key_id = budgets.key_id), 0) AS held,
        CASE WHEN day >= $6 THEN day_spent ELSE 0 END + COALESCE((SELECT SUM(cost_nano_usd) FROM days
          WHERE days.key_id = budgets.key_id AND days.day >= $6), 0) AS day,
        CASE WHEN LEFT(day, 7) >= LEFT($6, 7) THEN month_spent ELSE 0 END + COALESCE((SELECT SUM(cost_nano_usd) FROM days
          WHERE days.key_id = budgets.key_id AND LEFT(days.day, 7) >= LEFT($6, 7)), 0) AS month
      FROM budgets
    ), judged AS MATERIALIZED (
      SELECT sums.*, accounts_left.nano_usd AS account_left,
        budget - COALESCE(keys_used.held + CASE period WHEN 'day' THEN keys_used.day ELSE keys_used.month END, 0)
          AS key_left
      FROM (SELECT asked.*, SUM(nano_usd) OVER (PARTITION BY account_id ORDER BY n) AS account_sum,
          SUM(nano_usd) OVER (PARTITION BY key_id ORDER BY n) AS key_sum FROM asked) AS sums
        LEFT JOIN accounts_left ON accounts_left.id = account_id LEFT JOIN keys_used USING (key_id)
    ), fitting AS MATERIALIZED (
      SELECT * FROM judged WHERE COALESCE(account_sum <= account_left, TRUE) AND COALESCE(key_sum <= key_left, TRUE)
    ), moved AS MATERIALIZED (
      SELECT account_id, key_id, SUM(nano_usd)::bigint AS nano_usd, SUM(of_node)::bigint AS of_node FROM (
        SELECT account_id, key_id, nano_usd, CASE WHEN task IS NULL THEN nano_usd ELSE 0 END AS of_node FROM fitting
        UNION ALL SELECT account_id, key_id, -nano_usd, -nano_usd FROM back) AS each_one
      GROUP BY account_id, key_id
    ), ${sql.literal(followingOfNode)}, of_tasks AS (
      INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd, confirmed)
      SELECT stored.id, stored.at, stored.request_id, fitting.account_id, fitting.key_id, stored.model, stored.upstream,
        stored.price,
        fitting.nano_usd, 0
      FROM fitting, json_to_record(fitting.task) AS stored
        (id text, at bigint, request_id text, model text, upstream text, price text)
      WHERE fitting.task IS NOT NULL
    ), answer AS MATERIALIZED (
      SELECT COALESCE(json_agg(json_build_array(judged.n, CASE WHEN fitting.n IS NULL THEN 0 ELSE 1 END,
        judged.account_left, judged.key_left)), '[]')::text AS text
      FROM judged LEFT JOIN fitting USING (n)
    ), noted AS (
      UPDATE node_batches SET batch = $3::bigint, answer = answer.text FROM answer, lane
      WHERE node = $1 AND node_batches.lane = $2::int
    )
    SELECT answer.text AS answer FROM answer, lane`
  )
  const { write } = usageStatements(sql)
  return (by, { asked, back, used }, today) =>
    asked.length === 0
      ? write(by, used, back)
      : ask([
          by.node,
          by.lane,
          by.number,
          JSON.stringify(asked.map(askedRow)),
          backText(back),
          today,
          rowsText(used),
          JSON.stringify(byHour(used))
        ])
}

const askedRow = ({ account, budget, key, nanoUsd, row }: HoldRequest, n: number) => ({
  n,
  account_id: account,
  key_id: key,
  nano_usd: nanoUsd,
  budget: budget?.nanoUsd ?? null,
  period: budget?.period ?? null,
  task:
    row === undefined
      ? null
      : {
          id: row.id,
          at: row.atMs,
          request_id: row.requestId,
          model: row.model,
          upstream: row.upstream,
          price: row.price
        }
})
