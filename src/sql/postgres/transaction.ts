import type { SqlClient } from "@effect/sql"
import { SqlClient as Client } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Scope, Stream } from "effect"
import { SendsAhead } from "../SendsAhead.ts"

interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/**
 * Runs a write in a transaction, which begins when something is waited for: where nothing is, all that was sent ahead is
 * one statement, which is a transaction by itself and takes a fifth of the time that beginning, each of them and the
 * commit do.
 */
export const makeTransaction = (sql: SqlClient.SqlClient) => {
  const merged = new Map<string, string>()
  /** One statement of several, or undefined where they can't be one. */
  const oneOf = (some: ReadonlyArray<Sent>): Sent | undefined => {
    const [first] = some
    if (some.length === 1) return first
    if (!some.every(({ text }) => /^(INSERT|DELETE) /.test(text))) return undefined
    const known = some.map(({ text }) => text).join(";")
    const text = merged.get(known) ?? mergedOf(some)
    merged.set(known, text)
    return { text, values: some.flatMap(({ values }) => values) }
  }

  return <A, E>(statements: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.scoped(
      Effect.flatMap(Effect.scope, (scope) => {
        const own = lazily(sql, scope)
        const commit = Effect.suspend(() => {
          const { sent } = own
          if (own.isOpen() || sent.length === 0) return own.isOpen() ? own.commit : Effect.void
          const one = oneOf(sent)
          return one === undefined ? own.commit : sql.unsafe(one.text, one.values)
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

/** Each is a part of the last; their parameters are counted on. */
const mergedOf = (some: ReadonlyArray<Sent>): string => {
  let before = 0
  const parts = some.map(({ text, values }) => {
    const from = before
    before += values.length
    return text.replace(/\$(\d+)/g, (_, n) => `$${from + Number(n)}`)
  })
  const named = parts.slice(0, -1).map((part, n) => `part_${n} AS (${part})`)
  return `WITH ${named.join(", ")} ${parts.at(-1)}`
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
