import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import type { Committer } from "./Committer.ts"
import { isRefused } from "./isRefused.ts"

/**
 * Makes one write of many: rows that wait at the same moment go into one call of `write`, inside one commit. For rows
 * that every request writes: a row costs a push and a promise, where an effect of its own costs ten times the insert.
 * The promise resolves once the row is durable, and rejects if it can't be written: where the database refuses one of
 * several, halves of them are written by themselves until it is alone.
 */
export const gathered = <Row>(
  commits: Pick<Committer, "write">,
  runtime: Runtime.Runtime<never>,
  write: (rows: ReadonlyArray<Row>) => Effect.Effect<unknown, SqlError>
): ((row: Row) => Promise<void>) => {
  let open: Array<Waiting<Row>> | undefined

  const written = (
    some: ReadonlyArray<Waiting<Row>>,
    statements: Effect.Effect<unknown, SqlError>
  ): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(commits.write(statements)), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.sync(() => some.forEach(({ resolve }) => resolve()))
      const isOnes = Option.exists(Cause.failureOption(exit.cause), isRefused)
      if (isOnes && some.length > 1) return Effect.zipRight(half(some, 0), half(some, 1))
      const cause = Cause.squash(exit.cause)
      return Effect.sync(() => some.forEach(({ reject }) => reject(cause)))
    })

  const half = (some: ReadonlyArray<Waiting<Row>>, which: 0 | 1): Effect.Effect<void> =>
    Effect.suspend(() => {
      const middle = Math.ceil(some.length / 2)
      const those = which === 0 ? some.slice(0, middle) : some.slice(middle)
      return written(those, write(those.map(({ row }) => row)))
    })

  const begin = (): Array<Waiting<Row>> => {
    const all: Array<Waiting<Row>> = []
    const statements = Effect.suspend(() => {
      // Closed when the commit begins, so that whatever came in the meantime goes with it.
      if (open === all) open = undefined
      return write(all.map(({ row }) => row))
    })
    Runtime.runFork(runtime)(written(all, statements))
    return all
  }

  return (row) => {
    open ??= begin()
    const { promise, reject, resolve } = Promise.withResolvers<void>()
    // Nobody need be listening when it fails.
    promise.catch(nothing)
    open.push({ row, resolve, reject })
    return promise
  }
}

const nothing = () => {}

interface Waiting<Row> {
  readonly row: Row
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}
