import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { PlainStatement } from "./PlainStatement.ts"

/** How writes reach the disk. A write that fails fails no other, on any engine. */
export interface Committer {
  /** Any number of statements, all or none of them. An interrupted caller's write may still happen. */
  readonly write: <A, E>(statements: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Any number of statements that the death of the process does not undo, but a power cut within 20 ms. All or none. */
  readonly writeBehind: <A, E>(statements: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** One statement, which is all or nothing by itself. */
  readonly statement: <A, E>(one: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** One statement that a power cut may undo, as `writeBehind`. */
  readonly statementBehind: <A, E>(one: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** As `statementBehind`, at once: in a commit of its own, before whatever waits. */
  readonly statementNow: <A, E>(one: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /**
   * Statements that nobody reads an answer of, in plain code, as `writeBehind`: all or none, at once. False where they were
   * not written, for whatever reason: `writeBehind` is for that. Absent where an engine has to be waited for.
   */
  readonly writeNow?: (statements: ReadonlyArray<PlainStatement>) => boolean
  /**
   * As `writeNow`, but durable once it answers, as `write`: the thread waits for the disk. False where they were not
   * written: `write` is for that.
   */
  readonly writeDurably?: (statements: ReadonlyArray<PlainStatement>) => boolean
  /**
   * One statement in plain code, which is sent at once and waited for: `ended` hears its rows, or undefined where it failed,
   * for whatever reason; `statement` is for that. False where it was not sent. Absent where an engine is not waited for.
   */
  readonly statementSoon?: (one: PlainStatement, ended: (rows: ReadonlyArray<unknown> | undefined) => void) => boolean
  /**
   * Inside a write: runs plain code once that is durable, whether or not anybody still waits for it; never where it is
   * rolled back. What it throws is logged; the write is what it was.
   */
  readonly afterCommit: (run: () => void) => Effect.Effect<void>
  /** Why the last commit failed, as anybody may read it; undefined where it did not. */
  readonly refusal: () => string | undefined
  /** When one last succeeded, on the clock of `performance.now()`. */
  readonly lastAt: () => number
}

/** The exception of code that follows a commit. It concerns no other follower. */
export const thrownBy = (run: () => void): ReadonlyArray<unknown> => {
  try {
    run()
    return []
  } catch (error) {
    return [error]
  }
}
