import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The columns to sum, as far as rows of version 0.1.0 are valid. */
const sound = ["input_tokens", "output_tokens", "cost_nano_usd"]
  .map((column) => `${column} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER} AND CAST(${column} AS BIGINT) = ${column}`)
  .join(" AND ")

const costs = "upstream_cost_nano_usd"

/**
 * Money by the hour of settlement (`usage_hours`), and the operator's upstream costs beside the charges. Hours are
 * computed from `usage`, which is never deleted; stored requests get their tasks' costs. A usage row without an
 * upstream cost is from an older gateway: it equals the charge.
 */
export const settledMoney = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE usage ADD COLUMN ${sql(costs)} BIGINT`
  yield* sql`ALTER TABLE usage ADD COLUMN task_id TEXT`
  yield* sql`CREATE INDEX usage_tasks ON usage (request_id) WHERE task_id IS NOT NULL`
  yield* sql`ALTER TABLE usage_days ADD COLUMN ${sql(costs)} BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE usage_unsummed ADD COLUMN ${sql(costs)} BIGINT NOT NULL DEFAULT 0`
  // -1 marks older rows, which the hours below include already.
  yield* sql`ALTER TABLE usage_unsummed ADD COLUMN hour BIGINT NOT NULL DEFAULT -1`
  yield* sql`ALTER TABLE usage_unsummed ADD COLUMN upstream TEXT NOT NULL DEFAULT ''`
  yield* sql`ALTER TABLE requests ADD COLUMN ${sql(costs)} BIGINT`
  yield* sql`ALTER TABLE requests ADD COLUMN settled_at BIGINT`
  yield* sql`CREATE TABLE usage_hours (
    hour BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cost_nano_usd BIGINT NOT NULL,
    upstream_cost_nano_usd BIGINT NOT NULL,
    PRIMARY KEY (hour, account_id, key_id, model, upstream)
  )`
  yield* sql`INSERT INTO usage_hours SELECT at - at % 3600000, account_id, key_id, model, upstream,
      CAST(SUM(input_tokens) AS BIGINT), CAST(SUM(output_tokens) AS BIGINT), CAST(SUM(cost_nano_usd) AS BIGINT),
      CAST(SUM(cost_nano_usd) AS BIGINT)
    FROM usage WHERE ${sql.literal(sound)} GROUP BY 1, 2, 3, 4, 5`
  yield* sql`UPDATE usage_days SET ${sql(costs)} = cost_nano_usd`
  yield* sql`UPDATE usage_unsummed SET ${sql(costs)} = cost_nano_usd`
  yield* sql`UPDATE requests SET cost_nano_usd = paid.cost, settled_at = paid.at
    FROM (SELECT request_id, account_id, SUM(cost_nano_usd) AS cost, MAX(at) AS at FROM usage
      WHERE at >= (SELECT MIN(at) FROM requests) AND ${sql.literal(sound)} GROUP BY request_id, account_id) AS paid
    WHERE paid.request_id = requests.request_id AND paid.account_id = requests.account_id
      AND requests.cost_nano_usd IS NULL`
  yield* sql.onDialectOrElse({ pg: () => ofOlderNodes(sql), orElse: () => Effect.void })
})

/** Nodes of the previous version may still run: their rows have no upstream cost, and are added up here. */
const ofOlderNodes = (sql: SqlClient.SqlClient) =>
  Effect.zipRight(
    sql.unsafe(`CREATE FUNCTION add_usage_of_older_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO usage_hours VALUES (NEW.at - NEW.at % 3600000, NEW.account_id, NEW.key_id, NEW.model, NEW.upstream,
        NEW.input_tokens, NEW.output_tokens, NEW.cost_nano_usd, NEW.cost_nano_usd)
      ON CONFLICT (hour, account_id, key_id, model, upstream) DO UPDATE SET
        input_tokens = usage_hours.input_tokens + excluded.input_tokens,
        output_tokens = usage_hours.output_tokens + excluded.output_tokens,
        cost_nano_usd = usage_hours.cost_nano_usd + excluded.cost_nano_usd,
        upstream_cost_nano_usd = usage_hours.upstream_cost_nano_usd + excluded.upstream_cost_nano_usd;
      INSERT INTO usage_days (account_id, day, key_id, model, requests, input_tokens, cache_read_tokens,
        cache_write_tokens, output_tokens, reasoning_tokens, searches, video_frames, cost_nano_usd, upstream_cost_nano_usd)
      VALUES (NEW.account_id, to_char(to_timestamp(NEW.at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), NEW.key_id,
        NEW.model, 0, 0, 0, 0, 0, 0, 0, 0, 0, NEW.cost_nano_usd)
      ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET
        upstream_cost_nano_usd = usage_days.upstream_cost_nano_usd + excluded.upstream_cost_nano_usd;
      RETURN NULL;
    END $$`),
    sql.unsafe(`CREATE TRIGGER usage_of_older_node AFTER INSERT ON usage FOR EACH ROW
      WHEN (NEW.upstream_cost_nano_usd IS NULL) EXECUTE FUNCTION add_usage_of_older_node()`)
  )
