import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The part of costs above what was held, which operators bear, and whether a task's hold bounds its charge. Rows of nodes
 * of an older version have none, and null.
 */
export const aboveHold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["usage", "usage_days", "usage_hours", "usage_unsummed"]) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN above_hold_nano_usd BIGINT NOT NULL DEFAULT 0`
  }
  // Read for attention: few hours have any.
  yield* sql`CREATE INDEX usage_hours_above_hold ON usage_hours (hour) WHERE above_hold_nano_usd > 0`
  yield* sql`ALTER TABLE holds ADD COLUMN is_uncounted INTEGER`
})
