import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/**
 * Creates the rows that are locked for keys, on Postgres. A key without one has spent nothing and holds nothing.
 *
 * @param summed runs before that
 * @returns undefined if all keys are known
 */
export const ensureBudgets = (
  sql: SqlClient.SqlClient,
  summed: Effect.Effect<void, SqlError>
): ((keys: ReadonlyArray<string>) => Effect.Effect<void, SqlError> | undefined) => {
  const known = new Set<string>()
  return (keys) => {
    const missing = [...new Set(keys.filter((key) => !known.has(key)))].sort()
    if (missing.length === 0) return undefined
    const rows = missing.map((key) => ({
      key_id: key,
      held_nano_usd: 0,
      day: "",
      day_nano_usd: 0,
      month_nano_usd: 0
    }))
    const inserted = sql`INSERT INTO key_budgets ${sql.insert(rows)} ON CONFLICT (key_id) DO NOTHING`
    return Effect.map(Effect.zipRight(summed, inserted), () => {
      for (const key of missing) known.add(key)
    })
  }
}
