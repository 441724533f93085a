import { SqlClient as Client } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Context, Effect, FiberRef, Option, Stream } from "effect"
import { thrownBy } from "../Committer.ts"
import type { DirectClient, ReservedConnection } from "../DirectClient.ts"
import { SendsAhead } from "../SendsAhead.ts"
import { makeSharedWrites } from "./sharedWrites.ts"
import { makeShapes } from "./shapes.ts"
import type { Sent } from "./shapes.ts"

/**
 * Runs a write in a transaction, which begins at the first awaited statement. If none is awaited, everything sent ahead
 * becomes one statement, which is a transaction by itself: it takes a fifth of the time and is combined with those of
 * other writes. Must not be interrupted.
 *
 * @param committed called after each commit, with its number of writes and when it began
 */
export const makeTransaction = (sql: DirectClient, committed: (writes: number, begun: number) => void) => {
  const shapeOf = makeShapes()
  const shared = makeSharedWrites(sql.send, committed)

  return <A, E>(statements: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.suspend(() => {
      const begun = performance.now()
      const own = lazily(sql)
      const counted = <B, F>(one: Effect.Effect<B, F>) => Effect.tap(one, () => committed(1, begun))
      const commit = (): Effect.Effect<unknown, SqlError> => {
        const { sent } = own
        if (own.isOpen()) return counted(own.commit)
        const [first] = sent
        if (first === undefined) return Effect.void
        const shape = shapeOf(sent)
        if (shape !== undefined)
          return shared(
            shape,
            sent.flatMap(({ values }) => values)
          )
        return counted(sent.length === 1 ? sql.direct.execute(first.text, first.values, undefined) : own.commit)
      }
      const run = Effect.flatMap(within(own.connection, statements), (value) => Effect.as(commit(), value))
      return Effect.matchCauseEffect(run, {
        onSuccess: (value) => {
          const done = Effect.as(followed(own.followers), value)
          return own.isOpen() ? Effect.zipRight(own.leave, done) : done
        },
        onFailure: (cause) =>
          own.isOpen()
            ? Effect.ignore(own.rollback).pipe(Effect.zipRight(own.leave), Effect.zipRight(Effect.failCause(cause)))
            : Effect.failCause(cause)
      })
    })
}

/**
 * Inside a write: runs plain code once it is durable (`Committer.afterCommit`). Has no effect in transactions of
 * another client.
 */
export const afterCommit = (follow: () => void): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const held = Context.getOption(fiber.currentContext, Client.TransactionConnection)
    const connection = Option.isSome(held) ? held.value[0] : undefined
    if (connection instanceof SendsAhead) connection.followers?.push(follow)
    return Effect.void
  })

const followed = (followers: ReadonlyArray<() => void>): Effect.Effect<void> => {
  if (followers.length === 0) return Effect.void
  const broken = followers.flatMap(thrownBy)
  return broken.length === 0
    ? Effect.void
    : Effect.logError("code that runs after a commit failed", ...broken.map(Cause.die))
}

/**
 * Runs statements on a connection. The previous context is restored by hand, since they are uninterruptible and
 * `provideService` costs as much as a statement.
 */
const within = <A, E>(connection: Connection, statements: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) => {
    const before = fiber.currentContext
    const inside = Context.add(before, Client.TransactionConnection, [connection, 0] as const)
    return Effect.zipRight(
      FiberRef.set(FiberRef.currentContext, inside),
      Effect.flatMap(Effect.exit(statements), (exit) =>
        Effect.zipRight(FiberRef.set(FiberRef.currentContext, before), exit)
      )
    )
  })

/** Reserves a connection and begins a transaction at the first awaited statement. */
const lazily = (sql: DirectClient) => {
  const sent: Array<Sent> = []
  const followers: Array<() => void> = []
  const alone = Effect.unsafeMakeSemaphore(1)
  let held: ReservedConnection | undefined
  /** The failure of sending an earlier statement. Every later one fails with it. */
  let unsent: SqlError | undefined

  // Uninterruptible, or a reserved connection could leak.
  const begun = Effect.uninterruptible(
    Effect.flatMap(sql.hold, (one) => {
      held = one
      return Effect.zipRight(
        ahead(one.connection, { text: "BEGIN", values: [] }),
        Effect.forEach(sent, (statement) => ahead(one.connection, statement), { discard: true })
      ).pipe(
        Effect.tapError((error) => Effect.sync(() => void (unsent = error))),
        Effect.as(one.connection)
      )
    })
  )
  const known = (): Effect.Effect<Connection, SqlError> | undefined =>
    unsent === undefined ? held && Effect.succeed(held.connection) : Effect.fail(unsent)
  const opened = Effect.suspend(() => known() ?? alone.withPermits(1)(Effect.suspend(() => known() ?? begun)))
  const waiting: Connection = {
    execute: (...of) => Effect.flatMap(opened, (connection) => connection.execute(...of)),
    executeRaw: (...of) => Effect.flatMap(opened, (connection) => connection.executeRaw(...of)),
    executeUnprepared: (...of) => Effect.flatMap(opened, (connection) => connection.executeUnprepared(...of)),
    executeValues: (...of) => Effect.flatMap(opened, (connection) => connection.executeValues(...of)),
    executeStream: (...of) => Stream.unwrap(Effect.map(opened, (connection) => connection.executeStream(...of)))
  }
  return {
    /** Statements sent before it began. */
    sent,
    /** Work to do once it is durable. */
    followers,
    isOpen: () => held !== undefined,
    /** Returns the connection to the pool. */
    leave: Effect.suspend(() => held?.leave ?? Effect.void),
    commit: Effect.flatMap(opened, (connection) => connection.executeUnprepared("COMMIT", [], undefined)),
    rollback: Effect.suspend(() => held?.connection.executeUnprepared("ROLLBACK", [], undefined) ?? Effect.void),
    connection: new SendsAhead(
      waiting,
      (text, values) => {
        if (held?.connection instanceof SendsAhead) return held.connection.send(text, values)
        sent.push({ text, values })
        return undefined
      },
      followers
    )
  } as const
}

const ahead = (connection: Connection, { text, values }: Sent): Effect.Effect<unknown, SqlError> =>
  connection instanceof SendsAhead
    ? Effect.suspend(() => connection.send(text, values) ?? Effect.void)
    : connection.execute(text, values, undefined)
