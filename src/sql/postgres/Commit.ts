import { SqlError } from "@effect/sql/SqlError"
import { Cause, Chunk, Effect, Exit, Fiber } from "effect"
import { Metrics } from "../../telemetry/Metrics.ts"
import type { Committer } from "../Committer.ts"
import type { DirectClient } from "../DirectClient.ts"
import { errorCode } from "../errorCode.ts"
import { makeCommitHealth } from "../commitHealth.ts"
import { isRefused } from "../isRefused.ts"
import { isStatement } from "../prepare.ts"
import { again } from "./again.ts"
import { afterCommit, makeTransaction } from "./transaction.ts"

/**
 * Commits each write in a transaction of its own: the server shares an fsync among concurrent commits, and a write
 * can't fail another. A single statement needs no `BEGIN`. Deadlocks and serialization failures are retried.
 */
export const makeCommit = (sql: DirectClient) =>
  Effect.gen(function* () {
    const metrics = yield* Metrics
    const commitSeconds = metrics.commitSeconds.of()
    const commitWrites = metrics.commitWrites.of()
    const commits = metrics.commits.of("committed")
    const failedCommits = metrics.commits.of("failed")
    const count = (writes: number, begun: number) => {
      commitSeconds.observe((performance.now() - begun) / 1_000)
      commitWrites.observe(writes)
      commits.add(1)
    }
    const scope = yield* Effect.scope
    const { observe, lastAt, refusal, succeeded } = makeCommitHealth(outage)
    let running = 0
    let noneRuns = () => {}
    const leave = () => {
      if (--running === 0) noneRuns()
    }
    // Connections close after this finalizer, but an uninterruptible caller's write may still be running.
    yield* Effect.addFinalizer(() =>
      Effect.async<void>((resume) => {
        noneRuns = () => resume(Effect.void)
        if (running === 0) noneRuns()
      })
    )
    /**
     * Runs to the end even if the caller leaves: the sent statements may be stored already. An uninterruptible caller
     * runs the write itself. Others fork it and await the fiber without joining it: merging fiber refs took 5 % of a
     * create.
     */
    const committed = <A, E>(attempt: Effect.Effect<A, E | SqlError>): Effect.Effect<A, E | SqlError> => {
      const ended = Effect.suspend(() => {
        running++
        return Effect.flatMap(Effect.exit(again(attempt)), (exit) => {
          leave()
          if (Exit.isFailure(exit)) failedCommits.add(1)
          const observed = observe(exit)
          return observed === Effect.void ? exit : Effect.zipRight(observed, exit)
        })
      })
      return Effect.checkInterruptible((isInterruptible) =>
        isInterruptible
          ? Effect.flatMap(Effect.forkIn(Effect.uninterruptible(ended), scope), (fiber) =>
              Effect.flatten(Fiber.await(fiber))
            )
          : ended
      )
    }

    const transaction = makeTransaction(sql, count)
    const statement = <A, E>(one: Effect.Effect<A, E>) =>
      committed(
        Effect.suspend(() => {
          const begun = performance.now()
          return Effect.tap(one, () => count(1, begun))
        })
      )
    const commit = <A, E>(write: Effect.Effect<A, E>) =>
      isStatement(write) ? statement(write) : committed(transaction(write))

    const send: Committer["send"] = (one, ended) => {
      // Only a fiber can log that commits succeed again.
      if (refusal() !== undefined) return false
      const begun = performance.now()
      running++
      sql.send(one.text, one.values, (rows) => {
        leave()
        if (rows instanceof SqlError) return ended(undefined)
        count(1, begun)
        succeeded()
        ended(rows)
      })
      return true
    }

    const committer: Committer = {
      commit,
      append: commit,
      now: statement,
      send,
      afterCommit,
      refusal,
      lastAt
    }
    return committer
  })

/** The failure of the server or the connection, if any. Other failures concern the write alone. */
const outage = (cause: Cause.Cause<unknown>): SqlError | undefined =>
  Chunk.toReadonlyArray(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)))
    .filter((error) => error instanceof SqlError)
    .find((error) => !isRefused(error) && !/^(40|42|0A000)/.test(errorCode(error.cause)))
