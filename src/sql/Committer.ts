import type { SqlError } from "@effect/sql/SqlError"
import type { Effect, Exit } from "effect"
import type { Prepared } from "./prepare.ts"

/**
 * Writes to the database. A write is a set of statements, all or nothing; a single statement (of `prepare` or `sql`)
 * costs less. A failed write does not affect others, on either engine. An interrupted caller's write may still be
 * committed.
 */
export interface Committer {
  /** Writes in one transaction. Succeeds once it is committed, by default once that is on the disk. */
  readonly commit: <A, E>(write: Effect.Effect<A, E>, as?: CommitMode) => Effect.Effect<A, E | SqlError>
  /**
   * As `commit`, for prepared statements and from plain code where possible. What is gathered goes this way
   * (`BatchWriter`, the ledger's lanes).
   *
   * @param statements called at each attempt; makes the same statements each time
   * @param ended gets the outcome, maybe at once; of one statement on Postgres with its rows
   */
  readonly send: (
    statements: () => ReadonlyArray<Prepared>,
    as: CommitMode,
    ended: (exit: Exit.Exit<ReadonlyArray<unknown>, SqlError>) => void
  ) => void
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

/**
 * `durable` waits for the disk. `soon` does not: the write survives a crash of the process, but may be lost in a power
 * cut within 20 ms. `first` is as durable as `soon` and ahead of queued writes: one statement, such as a claim.
 */
export type CommitMode = "durable" | "soon" | "first"

/** Runs code that follows a commit. Returns what it throws. */
export const thrownBy = (run: () => void): ReadonlyArray<unknown> => {
  try {
    run()
    return []
  } catch (error) {
    return [error]
  }
}
