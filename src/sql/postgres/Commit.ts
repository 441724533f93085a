import { SqlError } from "@effect/sql/SqlError"
import { Cause, Chunk, Effect, Exit, Fiber, Runtime } from "effect"
import { Metrics } from "../../telemetry/Metrics.ts"
import type { Committer } from "../Committer.ts"
import type { DirectClient } from "../DirectClient.ts"
import { errorCode } from "../errorCode.ts"
import { makeCommitHealth } from "../commitHealth.ts"
import { isRefused } from "../isRefused.ts"
import { aheadOf, isStatement } from "../prepare.ts"
import type { Prepared } from "../prepare.ts"
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
    const commit: Committer["commit"] = (write, as) =>
      as === "first" || isStatement(write) ? statement(write) : committed(transaction(write))

    const fork = Runtime.runFork(yield* Effect.runtime())
    const send: Committer["send"] = (statements, _as, ended) => {
      const made = madeNow(statements)
      const [one, ...others] = made ?? []
      if (one === undefined || others.length > 0) {
        return fork(commit(aheadOf(() => made ?? statements()))).addObserver(ended)
      }
      // Only a fiber can log that commits succeed again.
      if (refusal() !== undefined) return fork(statement(one)).addObserver(ended)
      const begun = performance.now()
      running++
      sql.send(one.text, one.values, (rows) => {
        leave()
        // A fiber tries again if that helps, and logs an outage.
        if (rows instanceof SqlError) return fork(statement(afterFailure(rows, one))).addObserver(ended)
        count(1, begun)
        succeeded()
        ended(Exit.succeed(rows))
      })
    }

    const committer: Committer = {
      commit,
      send,
      afterCommit,
      refusal,
      lastAt
    }
    return committer
  })

/** The statements; undefined if they can't be made, which a fiber reports. */
const madeNow = (statements: () => ReadonlyArray<Prepared>): ReadonlyArray<Prepared> | undefined => {
  try {
    return statements()
  } catch {
    return undefined
  }
}

/** A statement whose first attempt has failed. */
const afterFailure = (error: SqlError, one: Prepared): Effect.Effect<ReadonlyArray<unknown>, SqlError> => {
  let isFirst = true
  return Effect.suspend(() => {
    if (!isFirst) return one
    isFirst = false
    return Effect.fail(error)
  })
}

/** The failure of the server or the connection, if any. Other failures concern the write alone. */
const outage = (cause: Cause.Cause<unknown>): SqlError | undefined =>
  Chunk.toReadonlyArray(Chunk.appendAll(Cause.failures(cause), Cause.defects(cause)))
    .filter((error) => error instanceof SqlError)
    .find((error) => !isRefused(error) && !/^(40|42|0A000)/.test(errorCode(error.cause)))
