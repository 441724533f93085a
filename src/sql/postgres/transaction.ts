import { SqlClient as Client } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, FiberRef, Stream } from "effect"
import type { DirectClient, Held } from "../DirectClient.ts"
import { SendsAhead } from "../SendsAhead.ts"

interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
}

/**
 * Runs a write in a transaction, which begins when something is waited for: where nothing is, all that was sent ahead is
 * one statement, which is a transaction by itself and takes a fifth of the time that beginning, each of them and the
 * commit do. To be run on a fiber of the write's own, and not to be interrupted.
 */
export const makeTransaction = (sql: DirectClient) => {
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
    Effect.suspend(() => {
      const own = lazily(sql)
      const commit = (): Effect.Effect<unknown, SqlError> => {
        const { sent } = own
        if (own.isOpen()) return own.commit
        if (sent.length === 0) return Effect.void
        const one = oneOf(sent)
        return one === undefined ? own.commit : sql.direct.execute(one.text, one.values, undefined)
      }
      const run = Effect.flatMap(Effect.zipRight(within(own.connection), statements), (value) =>
        Effect.as(commit(), value)
      )
      return Effect.matchCauseEffect(run, {
        onSuccess: (value) => (own.isOpen() ? Effect.as(own.leave, value) : Effect.succeed(value)),
        onFailure: (cause) =>
          own.isOpen()
            ? Effect.ignore(own.rollback).pipe(Effect.zipRight(own.leave), Effect.zipRight(Effect.failCause(cause)))
            : Effect.failCause(cause)
      })
    })
}

/**
 * What comes after it on this fiber, which is the write's own, runs its statements on the connection: to provide it for a
 * part and put back what was before costs as much as a statement.
 */
const within = (connection: Connection) =>
  FiberRef.update(FiberRef.currentContext, Context.add(Client.TransactionConnection, [connection, 0] as const))

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
const lazily = (sql: DirectClient) => {
  const sent: Array<Sent> = []
  const alone = Effect.unsafeMakeSemaphore(1)
  let held: Held | undefined

  const begun = Effect.flatMap(sql.hold, (one) => {
    held = one
    return Effect.as(
      Effect.zipRight(
        ahead(one.connection, { text: "BEGIN", values: [] }),
        Effect.forEach(sent, (statement) => ahead(one.connection, statement), { discard: true })
      ),
      one.connection
    )
  })
  const opened = Effect.suspend(() =>
    held === undefined
      ? alone.withPermits(1)(Effect.suspend(() => (held === undefined ? begun : Effect.succeed(held.connection))))
      : Effect.succeed(held.connection)
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
    isOpen: () => held !== undefined,
    /** Gives the connection back. */
    leave: Effect.suspend(() => held?.leave ?? Effect.void),
    commit: end("COMMIT"),
    rollback: end("ROLLBACK"),
    connection: new SendsAhead(waiting, (text, values) => {
      if (held?.connection instanceof SendsAhead) return held.connection.send(text, values)
      sent.push({ text, values })
      return undefined
    })
  } as const
}

const ahead = (connection: Connection, { text, values }: Sent): Effect.Effect<unknown, SqlError> =>
  connection instanceof SendsAhead
    ? Effect.suspend(() => connection.send(text, values) ?? Effect.void)
    : connection.execute(text, values, undefined)
