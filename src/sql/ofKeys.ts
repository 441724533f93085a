import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"

/** The condition that a row is one of these keys'; none if `keys` is absent. */
export const ofKeys = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string> | undefined): ReadonlyArray<Fragment> => {
  if (keys === undefined) return []
  return [keys.length === 0 ? sql`1 = 0` : sql.in("key_id", keys)]
}
