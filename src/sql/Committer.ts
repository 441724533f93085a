import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { StatementText } from "./prepare.ts"

/**
 * How writes reach the disk. A write is any number of statements, all or none of them; a statement by itself (of `prepare` or
 * `sql`) costs less. A write that fails fails no other, on either engine. The write of an interrupted caller may still
 * happen.
 */
export interface Committer {
  /** Succeeds once the write is on the disk. */
  readonly commit: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Does not wait for the disk: a crash of the process does not undo the write, a power cut within 20 ms may. */
  readonly append: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs one statement, such as a claim, by itself and ahead of the writes that wait. As durable as `append`. */
  readonly now: <A, E>(one: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Writes without a fiber, for `BatchWriter`. False if nothing was written. SQLite only: Postgres has to be waited for. */
  readonly plainly?: (write: ReadonlyArray<StatementText>, durability: Durability) => boolean
  /**
   * Sends one statement without a fiber. Postgres only.
   *
   * @param ended called with the rows, or with undefined if the statement failed or its answer was lost
   * @returns false if nothing was sent
   */
  readonly send?: (one: StatementText, ended: (rows: ReadonlyArray<unknown> | undefined) => void) => boolean
  /**
   * Inside a write: runs plain code once that is durable, even if its caller was interrupted; never if it is rolled back.
   * What the code throws is logged.
   */
  readonly afterCommit: (run: () => void) => Effect.Effect<void>
  /** Why the last commit failed, without details that are not for everyone; undefined if it succeeded. */
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
