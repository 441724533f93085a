import { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Chunk, Effect, Exit, Predicate, Scope } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"

interface Job {
  /** Whether a power cut may undo it. */
  readonly behind: boolean
  /** Fails only where the database itself gave out: the whole transaction may be gone then, whoever it was for. */
  readonly run: Effect.Effect<void, SqlError>
  readonly settle: (committed: Exit.Exit<void, SqlError>) => void
}

/**
 * Group commit: writes that wait at the same moment share one transaction and so one fsync. A write answers once it is
 * durable; one that fails is rolled back alone. Writes must not wait for anything but the database. A transaction of
 * nothing but `writeBehind` does without the fsync.
 */
export class Commits extends Effect.Service<Commits>()("gateway/sql/Commits", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const metrics = yield* Metrics
    const commitSeconds = metrics.commitSeconds.of()
    const commitWrites = metrics.commitWrites.of()
    const unsynced = transactionBehind(sql)
    const queue: Array<Job> = []
    /** Whether the transaction that is running is one write's alone, and whether that has failed by itself. */
    let isAlone = false
    let isUndone = false
    /** What the write that is running wants done once it is durable. */
    let after: Array<() => void> = []
    let wake = () => {}

    const idle = Effect.async<void>((resume) => {
      if (queue.length > 0) return resume(Effect.void)
      wake = () => {
        wake = () => {}
        // One turn of the event loop: the requests that arrived together join the same commit.
        setImmediate(() => resume(Effect.void))
      }
    })

    const commitWaiting = Effect.suspend(() => {
      const batch = queue.splice(0, 512)
      isAlone = batch.length === 1
      isUndone = false
      const begun = performance.now()
      const transaction = batch.every((job) => job.behind) ? unsynced : sql.withTransaction
      return transaction(Effect.forEach(batch, (job) => job.run, { discard: true })).pipe(
        Effect.catchAllDefect((defect) => (defect instanceof SqlError ? Effect.fail(defect) : Effect.die(defect))),
        // A commit that failed, of a full disk say, may leave its transaction open: the next one could not begin.
        Effect.onError(() => Effect.ignore(sql`ROLLBACK`)),
        Effect.exit,
        Effect.map((exit) => {
          commitSeconds.observe((performance.now() - begun) / 1_000)
          commitWrites.observe(batch.length)
          metrics.commits.of(Exit.isSuccess(exit) || isUndone ? "committed" : "failed").add(1)
          batch.forEach((job) => job.settle(exit))
        })
      )
    }).pipe(Effect.uninterruptible)

    yield* idle.pipe(
      Effect.zipRight(commitWaiting),
      Effect.forever,
      Effect.annotateLogs({ fiber: "commits" }),
      Effect.forkScoped
    )

    const enqueue = <A, E>(write: Effect.Effect<A, E>, behind = false): Effect.Effect<A, E | SqlError> =>
      Effect.async<A, E | SqlError>((resume) => {
        let result: Exit.Exit<A, E> | undefined
        const own: Array<() => void> = []
        queue.push({
          behind,
          run: Effect.flatMap(
            Effect.exit(
              Effect.zipRight(
                Effect.sync(() => (after = own)),
                write
              )
            ),
            (exit) => {
              result = exit
              if (Exit.isSuccess(exit)) return Effect.void
              const outside = outage(exit.cause)
              isUndone = isAlone && outside === undefined
              return outside ?? (isAlone ? undoing : Effect.void)
            }
          ),
          settle: (committed) => {
            if (Exit.isSuccess(committed) && result !== undefined && Exit.isSuccess(result)) own.forEach((run) => run())
            resume(
              Exit.isFailure(committed) && !isUndone
                ? Exit.failCause(committed.cause)
                : (result ?? Exit.die("a committed write has no result"))
            )
          }
        })
        wake()
      })

    /** A write that has the transaction to itself needs no savepoint: what undoes it undoes nobody else's. */
    const savepoint = <A, E>(statements: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      Effect.suspend(() => (isAlone ? statements : sql.withTransaction(statements)))

    /** Any number of statements, all or none of them. An interrupted caller's write may still happen. */
    const write = <A, E>(statements: Effect.Effect<A, E>) => enqueue(savepoint(statements))

    /** One statement, which is all or nothing by itself: saves the savepoint. */
    const statement = <A, E>(one: Effect.Effect<A, E>) => enqueue(one)

    /** Statements that nobody waits for: the death of the process does not undo them, a power cut may. All or none. */
    const writeBehind = <A, E>(statements: Effect.Effect<A, E>) => enqueue(savepoint(statements), true)

    /**
     * Inside a write: runs plain code once that is durable, whether or not anybody still waits for it; never where it is
     * rolled back.
     */
    const afterCommit = (run: () => void): Effect.Effect<void> => Effect.sync(() => void after.push(run))

    return { write, writeBehind, statement, afterCommit } as const
  })
}) {}

/** Rolls the transaction of a single write back that has failed by itself; whoever waits hears of the write's own failure. */
const undoing = Effect.fail(new SqlError({ cause: undefined, message: "The write failed" }))

/** Transactions that leave the fsync to the next one that needs it. */
const transactionBehind = (sql: SqlClient.SqlClient): SqlClient.SqlClient["withTransaction"] =>
  sql.onDialectOrElse({
    sqlite: () => {
      const run = (text: string) => (connection: Connection) => connection.executeUnprepared(text, [], undefined)
      const synced = run("PRAGMA synchronous = FULL")
      const ending = (text: string) => (connection: Connection) =>
        Effect.zipRight(
          Effect.onError(run(text)(connection), () => Effect.ignore(synced(connection))),
          synced(connection)
        )
      return SqlClient.makeWithTransaction({
        transactionTag: SqlClient.TransactionConnection,
        spanAttributes: [],
        acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
          Effect.map(Scope.extend(sql.reserve, scope), (connection) => [scope, connection] as const)
        ),
        // Only between transactions does SQLite let it be changed.
        begin: (connection) =>
          Effect.zipRight(run("PRAGMA synchronous = NORMAL")(connection), run("BEGIN")(connection)),
        savepoint: (connection, id) => run(`SAVEPOINT behind_${id}`)(connection),
        commit: ending("COMMIT"),
        rollback: ending("ROLLBACK"),
        rollbackSavepoint: (connection, id) => run(`ROLLBACK TO behind_${id}`)(connection)
      })
    },
    orElse: () => sql.withTransaction
  })

/**
 * The failure of a write that is not the write's own. SQLite answers a full disk or a bad read by rolling back whatever
 * transaction was open, which a savepoint does not survive; a broken constraint concerns one statement.
 */
const outage = (cause: Cause.Cause<unknown>): SqlError | undefined =>
  Chunk.toReadonlyArray(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)))
    .filter((error) => error instanceof SqlError)
    .find((error) => !isConstraint(error.cause))

const isConstraint = (error: unknown) =>
  Predicate.hasProperty(error, "code") && String(error.code).startsWith("SQLITE_CONSTRAINT")
