import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit } from "effect"

interface Job {
  readonly run: Effect.Effect<void>
  readonly settle: (committed: Exit.Exit<void, SqlError>) => void
}

/**
 * Group commit: writes that wait at the same moment share one transaction and so one fsync. A write answers once it is
 * durable; one that fails is rolled back alone. Writes must not wait for anything but the database.
 */
export class Commits extends Effect.Service<Commits>()("gateway/sql/Commits", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const queue: Array<Job> = []
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
      return sql.withTransaction(Effect.forEach(batch, (job) => job.run, { discard: true })).pipe(
        Effect.exit,
        Effect.map((exit) => batch.forEach((job) => job.settle(exit)))
      )
    }).pipe(Effect.uninterruptible)

    yield* idle.pipe(
      Effect.zipRight(commitWaiting),
      Effect.forever,
      Effect.annotateLogs({ fiber: "commits" }),
      Effect.forkScoped
    )

    const enqueue = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      Effect.async<A, E | SqlError>((resume) => {
        let result: Exit.Exit<A, E> | undefined
        queue.push({
          run: Effect.map(Effect.exit(write), (exit) => {
            result = exit
          }),
          settle: (committed) =>
            resume(
              Exit.isFailure(committed)
                ? Exit.failCause(committed.cause)
                : (result ?? Exit.die("a committed write has no result"))
            )
        })
        wake()
      })

    /** Any number of statements, all or none of them. An interrupted caller's write may still happen. */
    const write = <A, E>(statements: Effect.Effect<A, E>) => enqueue(sql.withTransaction(statements))

    /** One statement, which is all or nothing by itself: saves the savepoint. */
    const statement = <A, E>(one: Effect.Effect<A, E>) => enqueue(one)

    return { write, statement } as const
  })
}) {}
