import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import type { Effect } from "effect"
import { prepare } from "./prepare.ts"
import type { Values } from "./prepare.ts"

/** The tasks' name of `prepare`. */
export const prepared = prepare

/** The tasks' name of `prepare` with `ahead`. */
export const preparedAhead = (
  sql: SqlClient.SqlClient,
  like: Statement<unknown>
): ((values: Values) => Effect.Effect<unknown, SqlError>) => {
  const made = prepare(sql, like)
  return (values) => made(values).ahead
}
