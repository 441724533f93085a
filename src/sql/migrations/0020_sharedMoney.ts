import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Money that several processes spend, on Postgres; with SQLite it is in the memory of the one process.
 * `accounts.held_nano_usd` is the sum of all holds: of `node_holds`, of `holds` and of `usage_unsummed.held_nano_usd`.
 * `key_budgets` is the same for keys, with their spending on the last active day and in its month. `node_batches`
 * numbers a node's statements, so that none takes effect twice, and none after the node is declared dead. A hold is
 * `confirmed` with its task. `usage_unsummed` contains ended tasks that are not added up yet.
 */
export const sharedMoney = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE accounts ADD COLUMN held_nano_usd BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE holds ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 1`
  // The old table is still unused. A node's holds are also a key's.
  yield* sql`DROP TABLE node_holds`
  yield* sql`CREATE TABLE node_holds (
    node TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    nano_usd BIGINT NOT NULL,
    PRIMARY KEY (node, account_id, key_id)
  )`
  yield* sql`CREATE TABLE node_batches (
    node TEXT NOT NULL,
    lane INTEGER NOT NULL,
    batch BIGINT NOT NULL,
    answer TEXT,
    buried_at BIGINT,
    PRIMARY KEY (node, lane)
  )`
  yield* sql`CREATE TABLE key_budgets (
    key_id TEXT PRIMARY KEY,
    held_nano_usd BIGINT NOT NULL,
    day TEXT NOT NULL,
    day_nano_usd BIGINT NOT NULL,
    month_nano_usd BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE usage_unsummed (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    day TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    cache_read_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    video_frames BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    held_nano_usd BIGINT NOT NULL
  )`
  yield* sql.onDialectOrElse({ pg: () => counted(sql), orElse: () => Effect.void })
})

/** Computed from existing rows: tasks' holds, and keys' spending. */
export const counted = (sql: SqlClient.SqlClient) =>
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
