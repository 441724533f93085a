import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { StatementText } from "./prepare.ts"

/**
 * Writes to the database. A write is a set of statements, all or nothing; a single statement (of `prepare` or `sql`)
 * costs less. A failed write does not affect others, on either engine. An interrupted caller's write may still be
 * committed.
 */
export interface Committer {
  /** Succeeds once the write is on the disk. */
  readonly commit: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /**
   * Does not wait for the disk: the write survives a crash of the process, but may be lost in a power cut within 20 ms.
   */
  readonly append: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs one statement, such as a claim, at once, ahead of queued writes. As durable as `append`. */
  readonly now: <A, E>(one: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /**
   * Writes without a fiber, for `BatchWriter`. False if nothing was written. SQLite only: Postgres needs a round trip.
   */
  readonly plainly?: (write: ReadonlyArray<StatementText>, durability: Durability) => boolean
  /**
   * Sends one statement without a fiber. Postgres only.
   *
   * @param ended called with the rows, or with undefined if the statement failed or its answer was lost
   * @returns false if nothing was sent
   */
  readonly send?: (one: StatementText, ended: (rows: ReadonlyArray<unknown> | undefined) => void) => boolean
  /**
   * Inside a write: runs plain code once the write is durable, even if the caller was interrupted; never if it is
   * rolled back. Exceptions of the code are logged.
   */
  readonly afterCommit: (run: () => void) => Effect.Effect<void>
  /** The reason why the last commit failed, safe to show to callers; undefined if it succeeded. */
  readonly refusal: () => string | undefined
  /** The time of the last successful commit, on the clock of `performance.now()`. */
  readonly lastAt: () => number
}

/** `commit` waits for the disk, `append` does not. */
export type Durability = "commit" | "append"

/** Runs code that follows a commit. Returns what it throws. */
export const thrownBy = (run: () => void): ReadonlyArray<unknown> => {
  try {
    run()
    return []
  } catch (error) {
    return [error]
  }
}
