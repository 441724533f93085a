import { recordset as recordsetOf } from "../../sql/postgres/recordset.ts"
import { laneOfBatch } from "./lanes.ts"
import { settledMeasures, usedMeasures } from "../../sums/Sums.ts"
import { serviceNames } from "../../contract/records/Service.ts"
import { columnNames } from "./usageRows.ts"

/** Text columns; all others are integers. */
const texts = new Set<string>([
  "id",
  "request_id",
  "account_id",
  "key_id",
  "model",
  "upstream",
  "outcome",
  "price",
  "day",
  "task_id",
  "budget",
  "subject",
  "budgets",
  ...serviceNames,
  "cost_lines"
])

/** Turns JSON into rows with these columns. */
export const recordset = (place: string, names: ReadonlyArray<string>): string => recordsetOf(place, names, texts)

const dayNames: ReadonlyArray<string> = ["account_id", "day", "key_id", "model", ...usedMeasures]
const hourKey = "hour, account_id, key_id, model, upstream"
const hourNames = [hourKey, ...settledMeasures].join(", ")
/** The columns of an hour's sums. */
export const usedNames: ReadonlyArray<string> = ["hour", "upstream", ...dayNames]
/**
 * The number of columns that `following` adds up. A node adds up rows of its own version and of older ones, whose columns
 * are among its own. If `following` changes otherwise, add one for that.
 */
export const foldVersion = usedMeasures.length + settledMeasures.length
const usageColumns = columnNames.join(", ")

/** Runs after the rows of accounts (`cur`) are locked: a condition that is always true. */
const isLocked = "(SELECT COUNT(*) FROM cur) >= 0"

/** False for the end of a hold without usage. A broken answer has usage, and is no request. */
export const isUsed = "model <> ''"

/** Sums of rows of `hours`, grouped by some of their columns. */
const summed = (names: ReadonlyArray<string>) => names.map((name) => `SUM(${name})::bigint AS ${name}`).join(", ")

/** Sums of `hours` by day, for `following`. */
export const days = `days AS MATERIALIZED (
      SELECT account_id, day, key_id, model, ${summed(usedMeasures)} FROM hours GROUP BY account_id, day, key_id, model
    )`

/** Stores rows of `usage`. */
export const storing = (place: string): string => `INSERT INTO usage (${usageColumns})
      SELECT ${usageColumns} FROM ${recordset(place, columnNames)}`

/** Begins a statement with rows of usage and their sums by hour and day: takes effect once, as `laneOfBatch` says. */
export const storingOfBatch = (rows: string, sums: string): string => `${laneOfBatch}, added AS (
      ${storing(rows)} WHERE EXISTS (SELECT 1 FROM lane)
    ), hours AS MATERIALIZED (
      SELECT * FROM ${recordset(sums, usedNames)} WHERE EXISTS (SELECT 1 FROM lane)
    ), ${days}`

/**
 * The updates that follow from `hours` (usage), `days` (the same by day) and `moved` (changes of holds, by account and
 * key), on Postgres. `cur` has locked the rows of all their accounts in the order of ids, as every statement does that
 * locks them, so there is no deadlock.
 */
export const following = `of_accounts AS (
      UPDATE accounts SET settled_nano_usd = settled_nano_usd + change.cost, held_nano_usd = held_nano_usd + change.held
      FROM (SELECT account_id, SUM(cost)::bigint AS cost, SUM(held)::bigint AS held FROM (
          SELECT account_id, cost_nano_usd AS cost, 0 AS held FROM days
          UNION ALL SELECT account_id, 0, nano_usd FROM moved) AS each_one
        GROUP BY account_id HAVING SUM(cost) <> 0 OR SUM(held) <> 0) AS change
      WHERE accounts.id = change.account_id AND ${isLocked}
    ), spent AS (
      INSERT INTO key_spending (key_id, day, nano_usd)
      SELECT key_id, day, SUM(cost_nano_usd)::bigint FROM days WHERE ${isLocked}
      GROUP BY key_id, day HAVING SUM(cost_nano_usd) <> 0 ORDER BY key_id, day
      ON CONFLICT (key_id, day) DO UPDATE SET nano_usd = key_spending.nano_usd + excluded.nano_usd
    ), summed AS (
      INSERT INTO usage_days (${dayNames.join(", ")})
      SELECT ${dayNames.join(", ")} FROM days WHERE ${isUsed} AND ${isLocked}
      ORDER BY account_id, day, key_id, model
      ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET
        ${usedMeasures.map((column) => `${column} = usage_days.${column} + excluded.${column}`).join(", ")}
    ), summed_hours AS (
      INSERT INTO usage_hours (${hourNames})
      SELECT ${hourKey}, ${summed(settledMeasures)} FROM hours WHERE ${isUsed} AND hour >= 0 AND ${isLocked}
      GROUP BY ${hourKey} ORDER BY ${hourKey}
      ON CONFLICT (${hourKey}) DO UPDATE SET
        ${settledMeasures.map((column) => `${column} = usage_hours.${column} + excluded.${column}`).join(", ")}
    )`

/** The columns of `counted`, the changes of budgets' counters. */
export const counterNames: ReadonlyArray<string> = [
  "budget",
  "subject",
  "step",
  "account_id",
  "ends_at",
  "used",
  "held"
]

/** The changes of budgets' counters that follow from `counted`. `cur` has locked their accounts. */
export const counting = `of_budgets AS (
      INSERT INTO budget_counters (${counterNames.join(", ")})
      SELECT budget, subject, step, MIN(account_id), MAX(ends_at), SUM(used)::bigint, SUM(held)::bigint FROM counted
      WHERE ${isLocked} GROUP BY budget, subject, step ORDER BY budget, subject, step
      ON CONFLICT (budget, subject, step) DO UPDATE SET used = budget_counters.used + excluded.used,
        held = budget_counters.held + excluded.held
    )`

/** Also updates what budgets hold for a node, `counted.of_node`; `$1` is its id. */
export const countingOfNode = `${counting}, of_node_budgets AS (
      INSERT INTO node_budgets (node, budget, subject, step, account_id, held)
      SELECT $1, budget, subject, step, MIN(account_id), SUM(of_node)::bigint FROM counted
      WHERE ${isLocked} GROUP BY budget, subject, step HAVING SUM(of_node) <> 0 ORDER BY budget, subject, step
      ON CONFLICT (node, budget, subject, step) DO UPDATE SET held = node_budgets.held + excluded.held
    )`

/** Also updates the holds of a node, `moved.of_node`; `$1` is its id. */
export const followingOfNode = `${following}, of_nodes AS (
      INSERT INTO node_holds (node, account_id, key_id, nano_usd)
      SELECT $1, account_id, key_id, of_node FROM moved WHERE of_node <> 0 AND ${isLocked} ORDER BY account_id, key_id
      ON CONFLICT (node, account_id, key_id) DO UPDATE SET nano_usd = node_holds.nano_usd + excluded.nano_usd
    )`
