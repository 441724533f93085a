import type { SqlClient } from "@effect/sql"
import { Schema } from "effect"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"
import { heldOf } from "../budgets/claims.ts"
import type { Claim } from "../budgets/claims.ts"
import type { BatchId } from "./lanes.ts"
import type { CounterChange } from "./budgetCounters.ts"
import { counterNames, countingOfNode, followingOfNode, recordset, storingOfBatch } from "./following.ts"
import type { StoredHold } from "./holds.ts"
import { backText, rowsText, usageStatements } from "./usageStatements.ts"
import type { GivenBack } from "./usageStatements.ts"
import { byHour } from "./usageRows.ts"
import type { UsageRow } from "./usageRows.ts"

/** A request for a hold, in nano-dollars. */
export interface HoldRequest {
  readonly account: string
  readonly key: string
  readonly nanoUsd: number
  readonly claims: ReadonlyArray<Claim>
  /** A task's row, which outlives the node. */
  readonly row: StoredHold | undefined
}

/** A budget before the whole batch: what it had left, and the oldest step of its window in which something counts. */
const Room = Schema.Tuple(Schema.Int, Schema.NullOr(Schema.Int))

/**
 * The verdict on a request for a hold: its place, whether it is held, what its account had left before the whole batch,
 * and its claims' budgets.
 */
const Verdict = Schema.Tuple(
  Schema.Int,
  Schema.Literal(0, 1),
  Schema.NullOr(Schema.Int),
  Schema.NullOr(Schema.Array(Room))
)
export type Verdict = typeof Verdict.Type
export const decodeVerdicts = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Verdict)))

/** A change of a budget's counter by this node. */
export interface NodeChange extends CounterChange {
  /** The change of what is held for the node. */
  readonly of_node: number
}

/** A node's changes of money since its last batch. */
export interface MoneyChanges {
  readonly asked: ReadonlyArray<HoldRequest>
  readonly back: ReadonlyArray<GivenBack>
  /** The same in budgets, with what was used. */
  readonly counted: ReadonlyArray<NodeChange>
  /** The usage of requests. Their holds are in `back`. */
  readonly used: ReadonlyArray<UsageRow>
}

/** The claims of requests, and the other changes of budgets' counters. */
const claims = `claims AS MATERIALIZED (
      SELECT * FROM json_to_recordset($8::text::json) AS given (n int, place int, budget text, subject text, step bigint,
        since bigint, account_id text, ends_at bigint, amount bigint, most bigint, of_task int)
      WHERE EXISTS (SELECT 1 FROM lane)
    ), changed AS MATERIALIZED (
      SELECT * FROM ${recordset("$9", [...counterNames, "of_node"])} WHERE EXISTS (SELECT 1 FROM lane)
    ), `

/**
 * The counters that requests ask for, locked, and what each claim leaves of its budget. All claims of a batch are of one
 * moment, so those of a counter have one window. It sorts once: a subquery for each claim took a minute for thousands.
 */
const rooms = `counters AS MATERIALIZED (
      SELECT budget, subject, step, used - forgiven + held AS amount FROM budget_counters
      WHERE (budget, subject) IN (SELECT budget, subject FROM claims) AND step >= (SELECT MIN(since) FROM claims)
        AND (SELECT COUNT(*) FROM cur) >= 0
      ORDER BY budget, subject, step FOR NO KEY UPDATE OF budget_counters
    ), rooms AS MATERIALIZED (
      SELECT n, place, most - COALESCE(amounts, 0) AS room, oldest, claimed FROM (
        SELECT n, place, most, SUM(amount) FILTER (WHERE n IS NULL AND step >= since) OVER counter AS amounts,
          MIN(step) FILTER (WHERE is_stored AND step >= since AND amount > 0) OVER counter AS oldest,
          SUM(amount) FILTER (WHERE n IS NOT NULL) OVER (counter ORDER BY n) AS claimed
        FROM (
          SELECT each_one.*, MIN(since_of_claim) OVER (PARTITION BY budget, subject) AS since FROM (
            SELECT n, place, budget, subject, step, since AS since_of_claim, amount, most, FALSE AS is_stored FROM claims
            UNION ALL SELECT NULL, NULL, budget, subject, step, NULL, amount, NULL, TRUE FROM counters
            UNION ALL SELECT NULL, NULL, budget, subject, step, NULL, used + held, NULL, FALSE FROM changed
          ) AS each_one
        ) AS since_begun WINDOW counter AS (PARTITION BY budget, subject)
      ) AS counted_one WHERE n IS NOT NULL
    ), `

const counted = `counted AS MATERIALIZED (
      SELECT budget, subject, step, account_id, ends_at, used, held, of_node FROM changed
      UNION ALL SELECT budget, subject, step, claims.account_id, ends_at, 0, amount,
        CASE of_task WHEN 1 THEN 0 ELSE amount END FROM claims JOIN fitting USING (n)
    ), ${countingOfNode}, `

/**
 * Stores usage, releases holds and places holds for requests of all of a node's accounts in one statement, in order:
 * the row of an account or of a budget's counter is locked once for all of them. A request is held if its account and its
 * budgets cover it along with everything before it in the batch; the caller asks again for the rest if it may fit. Every
 * statement locks accounts before counters, each in the order of ids, so there is no deadlock. Use is read from the
 * locked rows, since others may be older than the lock. A batch without budgets has a statement without their part.
 */
export const askStatement = (sql: SqlClient.SqlClient): ((by: BatchId, changes: MoneyChanges) => Prepared) => {
  const asking = (withBudgets: boolean) =>
    prepare(
      sql,
      sql`WITH ${sql.literal(storingOfBatch("$6", "$7"))}, asked AS MATERIALIZED (
      SELECT * FROM json_to_recordset($4::text::json) AS given
        (n int, account_id text, key_id text, nano_usd bigint, task json)
      WHERE EXISTS (SELECT 1 FROM lane)
    ), back AS MATERIALIZED (
      SELECT * FROM ${sql.literal(recordset("$5", ["account_id", "key_id", "nano_usd"]))}
      WHERE EXISTS (SELECT 1 FROM lane)
    ), ${sql.literal(withBudgets ? claims : "")} cur AS MATERIALIZED (
      SELECT id, granted_nano_usd AS granted, settled_nano_usd AS settled, held_nano_usd AS held FROM accounts
      WHERE id = ANY (ARRAY(
        SELECT account_id FROM asked UNION SELECT account_id FROM back UNION SELECT account_id FROM days
        ${sql.literal(withBudgets ? "UNION SELECT account_id FROM changed" : "")}))
      ORDER BY id FOR NO KEY UPDATE
    ), ${sql.literal(withBudgets ? rooms : "")} accounts_left AS (
      SELECT id, granted - settled - held
        + COALESCE((SELECT SUM(nano_usd) FROM back WHERE back.account_id = cur.id), 0)
        - COALESCE((SELECT SUM(cost_nano_usd) FROM days WHERE days.account_id = cur.id), 0) AS nano_usd FROM cur
    ), judged AS MATERIALIZED (
      SELECT sums.*, accounts_left.nano_usd AS account_left
      FROM (SELECT asked.*, SUM(nano_usd) OVER (PARTITION BY account_id ORDER BY n) AS account_sum FROM asked) AS sums
        LEFT JOIN accounts_left ON accounts_left.id = account_id
    ), fitting AS MATERIALIZED (
      SELECT * FROM judged WHERE COALESCE(nano_usd = 0 OR account_sum <= account_left, TRUE)
        ${sql.literal(withBudgets ? "AND NOT EXISTS (SELECT 1 FROM rooms WHERE rooms.n = judged.n AND claimed > room)" : "")}
    ), moved AS MATERIALIZED (
      SELECT account_id, key_id, SUM(nano_usd)::bigint AS nano_usd, SUM(of_node)::bigint AS of_node FROM (
        SELECT account_id, key_id, nano_usd, CASE WHEN task IS NULL THEN nano_usd ELSE 0 END AS of_node FROM fitting
        UNION ALL SELECT account_id, key_id, -nano_usd, -nano_usd FROM back) AS each_one
      GROUP BY account_id, key_id
    ), ${sql.literal(withBudgets ? counted : "")} ${sql.literal(followingOfNode)}, of_tasks AS (
      INSERT INTO holds (id, at, request_id, account_id, key_id, model, upstream, price, nano_usd, budgets, is_uncounted,
        confirmed)
      SELECT stored.id, stored.at, stored.request_id, fitting.account_id, fitting.key_id, stored.model, stored.upstream,
        stored.price, fitting.nano_usd, stored.budgets, stored.is_uncounted, 0
      FROM fitting, json_to_record(fitting.task) AS stored
        (id text, at bigint, request_id text, model text, upstream text, price text, budgets text,
          is_uncounted int)
      WHERE fitting.task IS NOT NULL
    ), answer AS MATERIALIZED (
      SELECT COALESCE(json_agg(json_build_array(judged.n, CASE WHEN fitting.n IS NULL THEN 0 ELSE 1 END,
        judged.account_left, ${sql.literal(
          withBudgets
            ? "(SELECT json_agg(json_build_array(room, oldest) ORDER BY place) FROM rooms WHERE rooms.n = judged.n)"
            : "NULL"
        )})), '[]')::text AS text
      FROM judged LEFT JOIN fitting USING (n)
    ), noted AS (
      UPDATE node_batches SET batch = $3::bigint, answer = answer.text FROM answer, lane
      WHERE node = $1 AND node_batches.lane = $2::int
    )
    SELECT answer.text AS answer FROM answer, lane`
    )
  const ask = asking(false)
  const askBudgets = asking(true)
  const { write } = usageStatements(sql)
  return (by, { asked, back, counted: changed, used }) => {
    const claimed = asked.flatMap(claimRows)
    const isCounted = changed.length > 0 || claimed.length > 0
    if (asked.length === 0 && !isCounted) return write(by, used, back)
    const values = [
      by.node,
      by.lane,
      by.number,
      JSON.stringify(asked.map(askedRow)),
      backText(back),
      rowsText(used),
      JSON.stringify(byHour(used))
    ]
    return isCounted ? askBudgets([...values, JSON.stringify(claimed), JSON.stringify(changed)]) : ask(values)
  }
}

const claimRows = ({ claims: all, row }: HoldRequest, n: number) =>
  all.map(({ amount, meter, place, subject }, index) => ({
    n,
    place: index,
    budget: meter.id,
    subject,
    step: place.step,
    since: place.since,
    account_id: meter.account,
    ends_at: place.endsAt,
    amount,
    most: meter.budget.limit,
    of_task: row === undefined ? 0 : 1
  }))

const askedRow = ({ account, claims: all, key, nanoUsd, row }: HoldRequest, n: number) => ({
  n,
  account_id: account,
  key_id: key,
  nano_usd: nanoUsd,
  task:
    row === undefined
      ? null
      : {
          id: row.id,
          at: row.atMs,
          request_id: row.requestId,
          model: row.model,
          upstream: row.upstream,
          price: row.price,
          budgets: all.length === 0 ? null : JSON.stringify(all.map(heldOf)),
          is_uncounted: row.isUncounted ? 1 : 0
        }
})
