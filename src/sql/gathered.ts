import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import type { Committer } from "./Committer.ts"
import { isRefused } from "./isRefused.ts"
import type { PlainStatement } from "./PlainStatement.ts"
import { runPlain } from "./prepared.ts"

/**
 * Makes one write of many: rows that wait at the same moment become the statements of one commit, which takes no fiber
 * where an engine takes them at once. For rows that every request writes: a row costs a push and a promise, where an
 * effect of its own costs ten times the insert. The promise resolves once the row is durable, and rejects if it can't be
 * written: where the database refuses one of several, halves of them are written by themselves until it is alone.
 */
export const gathered = <Row>(
  sql: SqlClient.SqlClient,
  commits: Pick<Committer, "write" | "writeDurably">,
  runtime: Runtime.Runtime<never>,
  statementsOf: (rows: ReadonlyArray<Row>) => ReadonlyArray<PlainStatement>
): ((row: Row) => Promise<void>) => {
  let open: Array<Waiting<Row>> | undefined

  const write = (some: ReadonlyArray<Waiting<Row>>) => runPlain(sql, statementsOf(some.map(({ row }) => row)))

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
      return written(those, write(those))
    })

  /** An exception here becomes the effect's failure. */
  const isWritten = (some: ReadonlyArray<Waiting<Row>>): boolean => {
    try {
      return commits.writeDurably?.(statementsOf(some.map(({ row }) => row))) ?? false
    } catch {
      return false
    }
  }

  const begin = (): Array<Waiting<Row>> => {
    const all: Array<Waiting<Row>> = []
    // Closed when the commit begins, so that whatever came in the meantime goes with it.
    const close = () => {
      if (open === all) open = undefined
    }
    const asEffect = Effect.suspend(() => {
      close()
      return write(all)
    })
    if (commits.writeDurably === undefined) {
      Runtime.runFork(runtime)(written(all, asEffect))
      return all
    }
    // One turn of the event loop: the requests that arrived together join the same commit.
    setImmediate(() => {
      close()
      if (isWritten(all)) for (const { resolve } of all) resolve()
      else Runtime.runFork(runtime)(written(all, asEffect))
    })
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
