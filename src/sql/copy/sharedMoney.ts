import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Computes the rows that several processes share and one has in its memory: accounts' and keys' holds, and the spending of
 * keys on their last active day and in its month.
 */
export const sharedMoney = (sql: SqlClient.SqlClient) =>
  Effect.zipRight(
    sql`UPDATE accounts SET held_nano_usd = held.nano_usd
      FROM (SELECT account_id, SUM(nano_usd)::bigint AS nano_usd FROM holds GROUP BY account_id) AS held
      WHERE accounts.id = held.account_id`,
    sql`INSERT INTO key_budgets (key_id, held_nano_usd, day, day_nano_usd, month_nano_usd)
      SELECT key_id, SUM(held)::bigint, MAX(newest), SUM(CASE WHEN day = newest THEN spent ELSE 0 END)::bigint,
        SUM(CASE WHEN LEFT(day, 7) = LEFT(newest, 7) THEN spent ELSE 0 END)::bigint
      FROM (SELECT key_id, day, spent, held, MAX(day) OVER (PARTITION BY key_id) AS newest FROM (
        SELECT key_id, day, nano_usd AS spent, 0 AS held FROM key_spending
        UNION ALL SELECT key_id, '', 0, nano_usd FROM holds) AS each_one) AS dated
      GROUP BY key_id`
  )
