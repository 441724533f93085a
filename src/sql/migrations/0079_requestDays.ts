import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Sums of `request_hours` by UTC day, which are added up once a day is long over (`RequestDays`): no request pays for them.
 * `upkeep` has the begin of the first hour that isn't in them, as `request_days`.
 */
export const requestDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE request_days (
    day TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    ${sql.literal(sums.map((name) => `${name} BIGINT NOT NULL`).join(", "))},
    PRIMARY KEY (day, account_id, key_id, model, upstream)
  )`
  yield* sql`CREATE INDEX request_days_account ON request_days (account_id, day, key_id, model, upstream)`
})

const sums = [
  "requests",
  "errors",
  "refused",
  "hang_ups",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "attempts",
  "failed_attempts",
  "hidden_failures",
  "outpaced_attempts"
]
