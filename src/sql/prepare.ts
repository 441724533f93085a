import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { isFragment } from "@effect/sql/Statement"
import type { Statement } from "@effect/sql/Statement"
import { Context, Effect, Effectable } from "effect"
import { runOutside } from "./DirectClient.ts"
import { SendsAhead } from "./SendsAhead.ts"

/** The values of a statement, in the order of its placeholders. */
export type Values = ReadonlyArray<unknown>

/** A statement as data. */
export interface StatementText {
  readonly text: string
  readonly values: Values
}

/** A prepared statement with its values: as data, and as an effect of its rows, which `rows` decodes. */
export class Prepared extends Effectable.Class<ReadonlyArray<unknown>, SqlError> implements StatementText {
  readonly text: string
  readonly values: Values
  readonly #sql: SqlClient.SqlClient
  readonly #begin: (() => void) | undefined

  constructor(sql: SqlClient.SqlClient, text: string, values: Values, begin?: () => void) {
    super()
    this.text = text
    this.values = values
    this.#sql = sql
    this.#begin = begin
  }

  /** Adds code that runs with the statement, inside its transaction. */
  onRun(begin: () => void): Prepared {
    return new Prepared(this.#sql, this.text, this.values, begin)
  }

  /**
   * Runs a statement without rows to read. In a transaction on Postgres, it is sent without waiting for its answer,
   * which saves a round trip: if it fails, so does the transaction's next statement or its commit.
   */
  get ahead(): Effect.Effect<unknown, SqlError> {
    return this.#run(true)
  }

  override commit(): Effect.Effect<ReadonlyArray<unknown>, SqlError> {
    return this.#run(false)
  }

  #run(isAhead: boolean): Effect.Effect<ReadonlyArray<unknown>, SqlError> {
    const { text, values } = this
    return Effect.withFiberRuntime((fiber) => {
      this.#begin?.()
      const transaction = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      if (transaction._tag === "None") return runOutside(this.#sql, text, values)
      const connection = transaction.value[0]
      return isAhead && connection instanceof SendsAhead
        ? (connection.send(text, values) ?? nothing)
        : connection.execute(text, values, undefined)
    })
  }
}

const nothing: Effect.Effect<ReadonlyArray<unknown>> = Effect.succeed([])

/** Runs statements without rows to read, one after the other. */
export const aheadOf = (statements: () => ReadonlyArray<Prepared>): Effect.Effect<ReadonlyArray<unknown>, SqlError> =>
  Effect.suspend(() =>
    Effect.zipRight(
      Effect.forEach(statements(), ({ ahead }) => ahead, { discard: true }),
      nothing
    )
  )

/**
 * Prepares a frequent statement: its text is built once, and it goes straight to the connection. The text, span, scope
 * and semaphore of a statement of `sql` cost several times what SQLite does.
 *
 * @param like the statement with any values; only their number matters
 */
export const prepare = (sql: SqlClient.SqlClient, like: Statement<unknown>): ((values: Values) => Prepared) => {
  let text: string | undefined
  // Built at first use, to keep the start short.
  return (values) => new Prepared(sql, (text ??= like.compile()[0]), values)
}

/** True for a single statement, which is all or nothing without a transaction. */
export const isStatement = (write: Effect.Effect<unknown, unknown, unknown>): boolean =>
  write instanceof Prepared || isFragment(write)
