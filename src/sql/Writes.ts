import type { SqlError } from "@effect/sql/SqlError"
import type { Exit } from "effect"
import type { CommitMode, Committer } from "./Committer.ts"
import type { Doubtful } from "./Gather.ts"
import type { Prepared } from "./prepare.ts"

/** Stores rows, each time all or none. */
export interface Writes<Row> {
  /**
   * One write at a time, from plain code.
   *
   * @param take called when the write begins and at each retry; returns the same rows each time
   * @param ended gets the outcome, maybe at once
   * @param doubtful called while the outcome is unknown; `ended` follows
   */
  readonly write: (
    take: () => ReadonlyArray<Row>,
    ended: (exit: Exit.Exit<unknown, SqlError>) => void,
    doubtful: Doubtful
  ) => void
}

/** Rows that become statements of one commit. */
export const committing = <Row>(
  { send }: Committer,
  as: CommitMode,
  statementsOf: (rows: ReadonlyArray<Row>) => ReadonlyArray<Prepared>
): Writes<Row> => ({
  write: (take, ended) => send(() => statementsOf(take()), as, ended)
})
