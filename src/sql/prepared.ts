import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Context, Effect } from "effect"

/**
 * A statement of every request: its text is made once, from one with any values in its place, and inside a transaction
 * it goes straight to the connection. What `sql` does for each statement otherwise (text, span, scope, semaphore) costs
 * several times what SQLite does.
 *
 * @param like the statement; its values are only counted
 * @returns runs it with values in the order of the text
 */
export const prepared = <Row extends object>(
  sql: SqlClient.SqlClient,
  like: Statement<Row>
): ((values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, SqlError>) => {
  let made: string | undefined
  return (values) =>
    Effect.withFiberRuntime((fiber) => {
      // At first use: the start waits for nothing that it can do without.
      const text = (made ??= like.compile()[0])
      const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      return transaction._tag === "Some"
        ? // oxlint-disable-next-line typescript/consistent-type-assertions -- as `sql` itself types its rows
          (transaction.value[0].execute(text, values, undefined) as Effect.Effect<ReadonlyArray<Row>, SqlError>)
        : sql.unsafe<Row>(text, values)
    })
}
