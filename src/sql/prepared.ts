import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Context, Effect } from "effect"
import { runOutside } from "./DirectClient.ts"
import type { PlainStatement } from "./PlainStatement.ts"
import { SendsAhead } from "./SendsAhead.ts"

const nothing: Effect.Effect<ReadonlyArray<unknown>> = Effect.succeed([])

/**
 * A statement of every request: its text is made once, from one with any values in its place, and inside a transaction
 * it goes straight to the connection. What `sql` does for each statement otherwise (text, span, scope, semaphore) costs
 * several times what SQLite does.
 *
 * @param like the statement; its values are only counted
 * @returns runs it with values in the order of the text; its rows are for `rows` to decode
 */
export const prepared = (
  sql: SqlClient.SqlClient,
  like: Statement<unknown>
): ((values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, SqlError>) => preparing(sql, like, false)

/**
 * As `prepared`, for what has no rows to read: in a transaction on Postgres it is not waited for, so that it is no trip of
 * its own. What fails then fails the transaction's next statement, or its commit: nobody may heed it before.
 */
export const preparedAhead = (
  sql: SqlClient.SqlClient,
  like: Statement<unknown>
): ((values: ReadonlyArray<unknown>) => Effect.Effect<unknown, SqlError>) => preparing(sql, like, true)

/**
 * As `prepared`, as data: for what may be run in plain code.
 *
 * @param like the statement; its values are only counted
 */
export const preparedPlain = (like: Statement<unknown>): ((values: PlainStatement["values"]) => PlainStatement) => {
  let made: string | undefined
  return (values) => ({ text: (made ??= like.compile()[0]), values })
}

/** Plain statements as an effect, for a transaction. */
export const runPlain = (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<PlainStatement>
): Effect.Effect<void, SqlError> =>
  Effect.withFiberRuntime((fiber) => {
    const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
    const run = ({ text, values }: PlainStatement): Effect.Effect<unknown, SqlError> =>
      transaction._tag === "None"
        ? runOutside(sql, text, values)
        : transaction.value[0].execute(text, values, undefined)
    return Effect.forEach(statements, run, { discard: true })
  })

const preparing = (
  sql: SqlClient.SqlClient,
  like: Statement<unknown>,
  isAhead: boolean
): ((values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, SqlError>) => {
  let made: string | undefined
  return (values) =>
    Effect.withFiberRuntime((fiber) => {
      // At first use: the start waits for nothing that it can do without.
      const text = (made ??= like.compile()[0])
      const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      if (transaction._tag === "None") return runOutside(sql, text, values)
      const connection = transaction.value[0]
      return isAhead && connection instanceof SendsAhead
        ? (connection.send(text, values) ?? nothing)
        : connection.execute(text, values, undefined)
    })
}
