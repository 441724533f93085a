/**
 * The statements by which nodes of former versions add up what is left in `usage_unsummed`, with their columns of then:
 * those of schema 33, which had no sums by hour, and those of schema 54.
 */
const counts = [
  "requests",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "video_frames",
  "cost_nano_usd"
]

interface Fold {
  readonly days: ReadonlyArray<string>
  readonly hours?: ReadonlyArray<string>
}

const sums = (names: ReadonlyArray<string>) => names.map((name) => `SUM(${name})::bigint AS ${name}`).join(", ")
const raised = (table: string, names: ReadonlyArray<string>) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")

const hourKey = "hour, account_id, key_id, model, upstream"
const isLocked = "(SELECT COUNT(*) FROM cur) >= 0"
const byHour = (names: ReadonlyArray<string>) => `, summed_hours AS (
    INSERT INTO usage_hours (${[hourKey, ...names].join(", ")})
    SELECT ${hourKey}, ${sums(names)} FROM taken WHERE requests > 0 AND hour >= 0 AND ${isLocked}
    GROUP BY ${hourKey} ORDER BY ${hourKey} ON CONFLICT (${hourKey}) DO UPDATE SET ${raised("usage_hours", names)}
  )`

const foldOf = ({ days, hours }: Fold) => `WITH taken AS MATERIALIZED (
    DELETE FROM usage_unsummed WHERE id IN (
      SELECT id FROM usage_unsummed WHERE id NOT LIKE '~%' ORDER BY id LIMIT 500 FOR UPDATE) RETURNING *
  ), days AS MATERIALIZED (
    SELECT account_id, day, key_id, model, ${sums(days)} FROM taken GROUP BY account_id, day, key_id, model
  ), moved AS MATERIALIZED (
    SELECT account_id, key_id, -SUM(held_nano_usd)::bigint AS nano_usd FROM taken GROUP BY account_id, key_id
  ), cur AS MATERIALIZED (
    SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM taken)) ORDER BY id FOR NO KEY UPDATE
  ), of_accounts AS (
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
    INSERT INTO usage_days (${["account_id", "day", "key_id", "model", ...days].join(", ")})
    SELECT account_id, day, key_id, model, ${days.join(", ")} FROM days WHERE requests > 0 AND ${isLocked}
    ORDER BY account_id, day, key_id, model
    ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET ${raised("usage_days", days)}
  )${hours === undefined ? "" : byHour(hours)}
  SELECT id FROM taken`

const costs = ["cost_nano_usd", "upstream_cost_nano_usd"]

/** By the schema of their version. */
export const olderFolds = {
  33: foldOf({ days: counts }),
  54: foldOf({
    days: [...counts, "upstream_cost_nano_usd"],
    hours: ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", ...costs]
  })
} as const
