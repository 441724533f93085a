import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"
import type { AccountPattern } from "../contract/callers/Acting.ts"

/** The condition that a column holds one of these accounts (`reachesAccount` says the same of one id). */
export const ofAccounts = (
  sql: SqlClient.SqlClient,
  column: "id" | "account_id",
  among: ReadonlyArray<AccountPattern>
): Fragment => {
  const name = sql.literal(column)
  if (among.length === 0) return sql`1 = 0`
  return sql.or(
    among.map((pattern) =>
      pattern.endsWith("*")
        ? sql`substr(${name}, 1, ${pattern.length - 1}) = ${pattern.slice(0, -1)}`
        : sql`${name} = ${pattern}`
    )
  )
}
