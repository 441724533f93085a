import { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Chunk, Effect, Exit, Runtime } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { everySecond } from "../../flow/schedules.ts"
import { Metrics } from "../../telemetry/Metrics.ts"
import { thrownBy } from "../Committer.ts"
import type { CommitMode, Committer } from "../Committer.ts"
import { makeCommitHealth } from "../commitHealth.ts"
import { errorCode } from "../errorCode.ts"
import { isRefused } from "../isRefused.ts"
import { aheadOf, isStatement } from "../prepare.ts"
import type { StatementText } from "../prepare.ts"
import { SqliteConnection } from "./Client.ts"
import { makeLogSync } from "./LogSync.ts"

interface Job {
  /** True if a power cut may undo it for 20 ms (`LogSync`). */
  readonly behind: boolean
  /**
   * Fails if the database itself failed, since the whole transaction may be lost then. Also fails if the write is alone
   * in its transaction, which is rolled back without a savepoint.
   */
  readonly run: (connection: Connection, isAlone: boolean) => Effect.Effect<void, SqlError>
  /** Returns the exceptions of code that ran after the commit. */
  readonly settle: (committed: Exit.Exit<void, SqlError>) => ReadonlyArray<unknown>
}

/**
 * Group commit: concurrent writes share one transaction and so one fsync. A write succeeds once it is durable; a failed
 * one is rolled back alone. Writes must wait for nothing but the database. A transaction of `append`s only does not
 * wait for the fsync.
 */
export const makeGroupCommit = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const metrics = yield* Metrics
    const commitSeconds = metrics.commitSeconds.of()
    const commitWrites = metrics.commitWrites.of()
    const committed = metrics.commits.of("committed")
    const { transaction, unsynced } = transactions(sql)
    const logSync = yield* makeLogSync
    // SQLite's one connection. A client from outside has none that takes plain statements.
    const own = yield* Effect.orDie(Effect.scoped(sql.reserve))
    const queue: Array<Job> = []
    /**
     * Another process has held the file for the whole `busy_timeout`. Until the next commit, plain writes do not block
     * on it again.
     */
    let isLocked = false
    /** Work of the running write to do once it is durable. */
    let after: Array<() => void> = []
    let wake = () => {}
    const { observe, lastAt, refusal, succeeded } = makeCommitHealth(outage)

    const idle = Effect.async<void>((resume) => {
      if (queue.length > 0) return resume(Effect.void)
      wake = () => {
        wake = () => {}
        // After one event-loop turn: the requests that arrived together share the commit.
        setImmediate(() => resume(Effect.void))
      }
    })

    const commitWaiting = Effect.suspend(() => {
      if (queue.length === 0) return Effect.void
      const batch = queue.splice(0, 512)
      const begun = performance.now()
      const isAlone = batch.length === 1
      const all = (connection: Connection) =>
        Effect.forEach(batch, (job) => job.run(connection, isAlone), { discard: true })
      const isBehind = batch.every((job) => job.behind)
      isLocked = false
      return transaction(all, isBehind).pipe(
        Effect.exit,
        Effect.flatMap((exit) => {
          if (isBehind) logSync.soon()
          commitSeconds.observe((performance.now() - begun) / 1_000)
          commitWrites.observe(batch.length)
          metrics.commits.of(Exit.isSuccess(exit) ? "committed" : "failed").add(1)
          const broken = batch.flatMap((job) => job.settle(exit))
          const observed = observe(exit)
          if (broken.length === 0) return observed
          return Effect.zipRight(
            observed,
            Effect.logError("code that runs after a commit failed", ...broken.map(Cause.die))
          )
        })
      )
    }).pipe(Effect.uninterruptible)

    yield* daemon("commits", Effect.as(commitWaiting, idle), everySecond)

    const enqueue = <A, E>(write: Effect.Effect<A, E>, behind: boolean): Effect.Effect<A, E | SqlError> =>
      Effect.async<A, E | SqlError>((resume) => {
        let result: Exit.Exit<A, E | SqlError> | undefined
        const own: Array<() => void> = []
        queue.push({
          behind,
          run: (connection, isAlone) => {
            after = own
            const whole = isAlone || isStatement(write) ? write : allOrNone(connection, write)
            return Effect.flatMap(Effect.exit(whole), (exit) => {
              result = exit
              if (Exit.isSuccess(exit)) return Effect.void
              return outage(exit.cause) ?? (isAlone ? Effect.fail(undone) : Effect.void)
            })
          },
          settle: (committed) => {
            if (Exit.isFailure(committed) && (result === undefined || Exit.isSuccess(result))) {
              resume(Exit.failCause(committed.cause))
              return []
            }
            const isDurable = Exit.isSuccess(committed) && result !== undefined && Exit.isSuccess(result)
            const broken = isDurable ? own.flatMap(thrownBy) : []
            resume(result ?? Exit.die("a committed write has no result"))
            return broken
          }
        })
        wake()
      })

    const isWritten = (
      connection: SqliteConnection,
      statements: () => ReadonlyArray<StatementText>,
      as: CommitMode
    ): boolean => {
      // While commits fail, the fiber logs the reason.
      if (isLocked || refusal() !== undefined) return false
      const begun = performance.now()
      try {
        if (connection.isBusy) return false
        connection.writeNow(statements(), as === "durable")
      } catch (cause) {
        isLocked = errorCode(cause).startsWith("SQLITE_BUSY")
        return false
      }
      if (as !== "durable") logSync.soon()
      succeeded()
      commitSeconds.observe((performance.now() - begun) / 1_000)
      commitWrites.observe(1)
      committed.add(1)
      return true
    }

    const now = <A, E>(one: Effect.Effect<A, E>) =>
      Effect.onExit(unsynced(one), (exit) => {
        if (Exit.isSuccess(exit)) logSync.soon()
        return observe(exit)
      })
    const commit: Committer["commit"] = (write, as = "durable") =>
      as === "first" ? now(write) : enqueue(write, as === "soon")
    const fork = Runtime.runFork(yield* Effect.runtime())
    const send: Committer["send"] = (statements, as, ended) => {
      if (own instanceof SqliteConnection && isWritten(own, statements, as)) return ended(Exit.succeed([]))
      // The fiber fails with the same error and reports it.
      fork(commit(aheadOf(statements), as)).addObserver(ended)
    }
    const committer: Committer = {
      commit,
      send,
      afterCommit: (run) => Effect.sync(() => void after.push(run)),
      refusal,
      lastAt
    }
    return committer
  })

const run = (connection: Connection, text: string) => connection.executeUnprepared(text, [], undefined)

/**
 * As `sql.withTransaction`, without its spans, which cost more than the statements; and without fsync where allowed.
 */
const transactions = (sql: SqlClient.SqlClient) => {
  const inside = <A, E>(connection: Connection, effect: Effect.Effect<A, E>) =>
    Effect.provideService(effect, SqlClient.TransactionConnection, [connection, 0])

  /** SQLite accepts the pragma only between transactions. */
  const relaxed = <A, E>(connection: Connection, effect: Effect.Effect<A, E>) =>
    Effect.zipRight(
      run(connection, "PRAGMA synchronous = NORMAL"),
      Effect.ensuring(effect, Effect.ignore(run(connection, "PRAGMA synchronous = FULL")))
    )

  const begun = <A, E>(connection: Connection, effect: Effect.Effect<A, E>) =>
    Effect.zipRight(
      run(connection, "BEGIN"),
      // A failed commit, for example on a full disk, may leave its transaction open, and the next one could not begin.
      Effect.onError(
        Effect.flatMap(inside(connection, effect), (value) => Effect.as(run(connection, "COMMIT"), value)),
        () => Effect.ignore(run(connection, "ROLLBACK"))
      )
    )

  const transaction = <A, E>(effect: (connection: Connection) => Effect.Effect<A, E>, behind: boolean) =>
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) => {
        const all = begun(connection, effect(connection))
        return behind ? relaxed(connection, all) : all
      })
    )

  const unsynced = <A, E>(one: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
    Effect.uninterruptible(
      Effect.scoped(Effect.flatMap(sql.reserve, (connection) => relaxed(connection, inside(connection, one))))
    )

  return { transaction, unsynced }
}

/** Rolls back a transaction whose only write failed. */
const undone = new SqlError({ cause: undefined, message: "the transaction's only write failed" })

/** A savepoint around one of the writes of a commit. */
const allOrNone = <A, E>(connection: Connection, write: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
  Effect.zipRight(
    run(connection, "SAVEPOINT one_write"),
    Effect.matchCauseEffect(write, {
      onSuccess: (value) => Effect.as(run(connection, "RELEASE one_write"), value),
      onFailure: (cause) =>
        // After a rollback by the database itself, there is no savepoint.
        Effect.zipRight(
          Effect.ignore(
            Effect.zipRight(run(connection, "ROLLBACK TO one_write"), run(connection, "RELEASE one_write"))
          ),
          Effect.failCause(cause)
        )
    })
  )

/**
 * The failure of the database itself, if any. On a full disk or a read error, SQLite rolls back the open transaction
 * with its savepoints; a violated constraint concerns one statement.
 */
const outage = (cause: Cause.Cause<unknown>): SqlError | undefined =>
  Chunk.toReadonlyArray(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)))
    .filter((error) => error instanceof SqlError)
    .find((error) => error !== undone && !isRefused(error))
