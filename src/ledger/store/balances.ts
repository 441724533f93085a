import type { SqlClient } from "@effect/sql"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { AccountId } from "../../contract/callers/Caller.ts"
import { rows } from "../../sql/decode.ts"
import { sumOf } from "../../sql/sumOf.ts"

/**
 * An account's stored holds: those of its tasks, and on Postgres those of requests too.
 *
 * @param accounts the table's name in the statement
 */
export const heldBy = (sql: SqlClient.SqlClient, accounts: string): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`${sql(accounts)}.held_nano_usd`,
    orElse: () => sql`(SELECT ${sumOf(sql, "nano_usd")} FROM holds WHERE account_id = ${sql(accounts)}.id)`
  })

/** Reads balances, in nano-dollars. */
export const balanceStatements = (sql: SqlClient.SqlClient) => {
  /** An account's money, with the holds of `heldBy`; undefined if there is no such account. */
  const account = (id: AccountId) =>
    Effect.map(
      sql`SELECT granted_nano_usd AS granted, settled_nano_usd AS settled, ${heldBy(sql, "accounts")} AS held
        FROM accounts WHERE id = ${id}`,
      accounts.first
    )

  /** The total grants of accounts; null means unmetered. */
  const granted = (ids: ReadonlyArray<AccountId>) =>
    Effect.map(sql`SELECT id, granted_nano_usd AS granted FROM accounts WHERE ${sql.in("id", ids)}`, grants.all)

  return { account, granted } as const
}

const accounts = rows("accounts", {
  granted: Schema.NullOr(Schema.Int),
  settled: Schema.Int,
  held: Schema.Int
})
const grants = rows("accounts", { id: AccountId, granted: Schema.NullOr(Schema.Int) })
