import type { SqlClient } from "@effect/sql"
import { SqlClient as Client } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Scope, Stream } from "effect"
import { SendsAhead } from "../SendsAhead.ts"
import { makeTogether } from "./together.ts"
import type { Sent } from "./together.ts"

/**
 * Runs a write in a transaction, which begins when something is waited for: where nothing is, all that was sent ahead is
 * one statement.
 */
export const makeTransaction = (sql: SqlClient.SqlClient) => {
  const together = makeTogether(({ text, values }) => sql.unsafe(text, values))

  return <A, E>(statements: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.scoped(
      Effect.flatMap(Effect.scope, (scope) => {
        const own = lazily(sql, scope)
        const commit = Effect.suspend(() => {
          const { sent } = own
          if (own.isOpen() || sent.length === 0) return own.isOpen() ? own.commit : Effect.void
          const isOne = sent.length === 1 || sent.every(({ text }) => /^(INSERT|DELETE) /.test(text))
          return isOne ? together(sent) : own.commit
        })
        return Effect.onError(
          Effect.flatMap(
            Effect.provideService(statements, Client.TransactionConnection, [own.connection, 0] as const),
            (value) => Effect.as(commit, value)
          ),
          () => (own.isOpen() ? Effect.ignore(own.rollback) : Effect.void)
        )
      })
    )
}

/** A connection that is taken, and a transaction that is begun, when something is waited for. */
const lazily = (sql: SqlClient.SqlClient, scope: Scope.Scope) => {
  const sent: Array<Sent> = []
  const alone = Effect.unsafeMakeSemaphore(1)
  let open: Connection | undefined

  const begun = Effect.flatMap(Scope.extend(sql.reserve, scope), (connection) => {
    open = connection
    return Effect.as(
      Effect.zipRight(
        ahead(connection, { text: "BEGIN", values: [] }),
        Effect.forEach(sent, (one) => ahead(connection, one), { discard: true })
      ),
      connection
    )
  })
  const opened = Effect.suspend(() =>
    open === undefined
      ? alone.withPermits(1)(Effect.suspend(() => (open === undefined ? begun : Effect.succeed(open))))
      : Effect.succeed(open)
  )
  const waiting: Connection = {
    execute: (...of) => Effect.flatMap(opened, (connection) => connection.execute(...of)),
    executeRaw: (...of) => Effect.flatMap(opened, (connection) => connection.executeRaw(...of)),
    executeUnprepared: (...of) => Effect.flatMap(opened, (connection) => connection.executeUnprepared(...of)),
    executeValues: (...of) => Effect.flatMap(opened, (connection) => connection.executeValues(...of)),
    executeStream: (...of) => Stream.unwrap(Effect.map(opened, (connection) => connection.executeStream(...of)))
  }
  const end = (how: "COMMIT" | "ROLLBACK") =>
    Effect.flatMap(opened, (connection) => connection.executeUnprepared(how, [], undefined))
  return {
    /** What was sent ahead before it began. */
    sent,
    isOpen: () => open !== undefined,
    commit: end("COMMIT"),
    rollback: end("ROLLBACK"),
    connection: new SendsAhead(waiting, (text, values) => {
      if (open instanceof SendsAhead) return open.send(text, values)
      sent.push({ text, values })
      return undefined
    })
  } as const
}

const ahead = (connection: Connection, { text, values }: Sent): Effect.Effect<unknown, SqlError> =>
  connection instanceof SendsAhead
    ? Effect.suspend(() => connection.send(text, values) ?? Effect.void)
    : connection.execute(text, values, undefined)
