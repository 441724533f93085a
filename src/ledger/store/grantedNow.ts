import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { balanceStatements } from "./balances.ts"

/** Reads the total grants of accounts again; undefined: unmetered. */
export const grantedNow = (
  sql: SqlClient.SqlClient,
  known: ReadonlyArray<AccountId>,
  is: (account: AccountId, granted: number | undefined) => void
): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    chunks(known, 1_000),
    (ids) =>
      Effect.map(balanceStatements(sql).granted(ids), (rows) => {
        for (const row of rows) is(row.id, row.granted ?? undefined)
      }),
    { discard: true }
  )

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
