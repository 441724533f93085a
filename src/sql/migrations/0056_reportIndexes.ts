import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Indexes in whose order reports read the sums, slice by slice: by day or hour, of all accounts, of an account, or of a
 * key. No request pays for them but the first of an hour: the sums themselves are in none.
 */
export const reportIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX usage_days_day`
  yield* sql`DROP INDEX usage_days_key`
  yield* sql`CREATE INDEX usage_days_day ON usage_days (day, account_id, key_id, model)`
  yield* sql`CREATE INDEX usage_days_key ON usage_days (key_id, day, model)`
  yield* sql`CREATE INDEX usage_hours_account ON usage_hours (account_id, hour, key_id, model, upstream)`
  yield* sql`CREATE INDEX request_hours_account ON request_hours (account_id, hour, key_id, model, upstream)`
})
