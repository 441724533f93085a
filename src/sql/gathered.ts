import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Runtime } from "effect"
import type { Commits } from "./Commits.ts"

/**
 * Makes one write of many: rows that wait at the same moment go into one call of `write`, inside one commit. For rows
 * that every request writes: a row costs a push and a shared promise, where an effect of its own costs ten times the
 * insert. The promise resolves once the row is durable, and rejects if it, or one that it went with, can't be written.
 */
export const gathered = <Row>(
  commits: Commits,
  runtime: Runtime.Runtime<never>,
  write: (rows: ReadonlyArray<Row>) => Effect.Effect<unknown, SqlError>
): ((row: Row) => Promise<void>) => {
  let open: Batch<Row> | undefined

  const commit = (batch: Batch<Row>) =>
    commits.write(
      Effect.suspend(() => {
        // Closed when the commit begins, so that whatever came in the meantime goes with it.
        open = undefined
        return write(batch.rows)
      })
    )

  const begin = (): Batch<Row> => {
    const batch: Batch<Row> = { rows: [], written: Promise.withResolvers() }
    // Nobody need be listening when it fails.
    batch.written.promise.catch(() => {})
    Runtime.runFork(runtime)(commit(batch)).addObserver((exit) =>
      Exit.isSuccess(exit) ? batch.written.resolve() : batch.written.reject(Cause.squash(exit.cause))
    )
    return batch
  }

  return (row) => {
    open ??= begin()
    open.rows.push(row)
    return open.written.promise
  }
}

interface Batch<Row> {
  readonly rows: Array<Row>
  readonly written: PromiseWithResolvers<void>
}
