import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Keeps nodes of an older version from what they can't read. `usage_unsummed.fold` is the number of columns that a row
 * has sums for: a node leaves rows with more columns than it knows to newer ones. Null is a row that can't be added up.
 * `nodes.format` is the newest format that a node reads, 0 before this migration. `upkeep` has the progress of what is done
 * once: `node_format` is the format that every node reads, `usage_sums` is the hour up to which sums were compared with
 * `usage` (-1: all).
 */
export const olderNodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE usage_unsummed ADD COLUMN fold BIGINT DEFAULT 0`
  yield* sql`UPDATE usage_unsummed SET fold = NULL WHERE id LIKE '~%'`
  yield* sql`ALTER TABLE nodes ADD COLUMN format BIGINT NOT NULL DEFAULT 0`
  yield* sql`CREATE TABLE upkeep (
    name TEXT PRIMARY KEY,
    value BIGINT NOT NULL
  )`
  yield* sql.onDialectOrElse({ pg: () => onlyOnPostgres(sql), orElse: () => Effect.void })
})

/**
 * An older node that was paused for so long that it was reaped can't come back among nodes that store what it can't read.
 * The lock orders it and `NodeStore.raiseFormat`. The second function is that of the baseline with the columns of 48, for
 * the requests of nodes older than both.
 */
const onlyOnPostgres = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    [
      `CREATE FUNCTION refuse_older_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(776001, 3);
        IF EXISTS (SELECT 1 FROM upkeep WHERE name = 'node_format' AND value > NEW.format) THEN
          RAISE EXCEPTION 'this database is served by a newer gateway: restart this node with that version';
        END IF;
        RETURN NEW;
      END $$`,
      `CREATE TRIGGER nodes_not_older BEFORE INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION refuse_older_node()`,
      `CREATE OR REPLACE FUNCTION add_usage_of_older_node() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO usage_hours (hour, account_id, key_id, model, upstream, input_tokens, output_tokens, cost_nano_usd,
          upstream_cost_nano_usd, cache_read_tokens, cache_write_tokens)
        VALUES (NEW.at - NEW.at % 3600000, NEW.account_id, NEW.key_id, NEW.model, NEW.upstream, NEW.input_tokens,
          NEW.output_tokens, NEW.cost_nano_usd, NEW.cost_nano_usd, NEW.cache_read_tokens, NEW.cache_write_tokens)
        ON CONFLICT (hour, account_id, key_id, model, upstream) DO UPDATE SET
          input_tokens = usage_hours.input_tokens + excluded.input_tokens,
          output_tokens = usage_hours.output_tokens + excluded.output_tokens,
          cost_nano_usd = usage_hours.cost_nano_usd + excluded.cost_nano_usd,
          upstream_cost_nano_usd = usage_hours.upstream_cost_nano_usd + excluded.upstream_cost_nano_usd,
          cache_read_tokens = usage_hours.cache_read_tokens + excluded.cache_read_tokens,
          cache_write_tokens = usage_hours.cache_write_tokens + excluded.cache_write_tokens;
        INSERT INTO usage_days (account_id, day, key_id, model, requests, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, searches, video_frames, cost_nano_usd, upstream_cost_nano_usd)
        VALUES (NEW.account_id, to_char(to_timestamp(NEW.at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), NEW.key_id,
          NEW.model, 0, 0, 0, 0, 0, 0, 0, 0, 0, NEW.cost_nano_usd)
        ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET
          upstream_cost_nano_usd = usage_days.upstream_cost_nano_usd + excluded.upstream_cost_nano_usd;
        RETURN NULL;
      END $$`
    ],
    (text) => sql.unsafe(text),
    { discard: true }
  )
