import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * How many of an hour's errors were refusals, and how many disconnects; the others failed. Computed for hours whose
 * requests are still stored.
 */
export const requestOutcomes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE request_hours ADD COLUMN refused BIGINT NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE request_hours ADD COLUMN hang_ups BIGINT NOT NULL DEFAULT 0`
  yield* sql`INSERT INTO request_hours (hour, account_id, key_id, model, upstream, requests, errors, refused, hang_ups,
      first_byte_ms, duration_ms, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
      searches, cost_nano_usd)
    SELECT at - at % 3600000, account_id, key_id, CASE upstream WHEN '' THEN '' ELSE model END, upstream, 0, 0,
      SUM(CASE WHEN error <> 'hang_up' AND status <> 499 THEN 1 ELSE 0 END),
      SUM(CASE WHEN error = 'hang_up' OR status = 499 THEN 1 ELSE 0 END),
      0, 0, 0, 0, 0, 0, 0, 0, 0
    FROM requests WHERE error = 'hang_up' OR (status >= 400 AND status < 500)
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (hour, account_id, key_id, model, upstream)
      DO UPDATE SET refused = excluded.refused, hang_ups = excluded.hang_ups`
})
