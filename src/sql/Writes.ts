import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Committer, Durability } from "./Committer.ts"
import type { InDoubt } from "./InDoubt.ts"
import type { Prepared } from "./prepare.ts"

export type WriteFailure = SqlError | InDoubt

/** Stores rows, each time all or none. */
export interface Writes<Row> {
  /**
   * @param take called when the write begins and at each retry; returns the same rows each time
   * @param late called after a failure with `InDoubt`, before any other write, once the outcome is known
   */
  readonly write: (
    take: () => ReadonlyArray<Row>,
    late: (isStored: boolean) => void
  ) => Effect.Effect<unknown, WriteFailure>
  /** Writes without a fiber; false if nothing was stored. Absent if the database needs a round trip. */
  readonly writeNow?: ((rows: ReadonlyArray<Row>) => boolean) | undefined
  /** Writes without a fiber; `done` gets `Effect.void` itself if the rows are stored, otherwise the remaining work. */
  readonly writeSoon?: (
    take: () => ReadonlyArray<Row>,
    late: (isStored: boolean) => void,
    done: (written: Effect.Effect<void, WriteFailure>) => void
  ) => void
}

/** Rows that become statements of one commit. */
export const committing = <Row>(
  { append, commit, plainly }: Committer,
  durability: Durability,
  statementsOf: (rows: ReadonlyArray<Row>) => ReadonlyArray<Prepared>
): Writes<Row> => ({
  write: (take) =>
    (durability === "commit" ? commit : append)(
      Effect.suspend(() => Effect.forEach(statementsOf(take()), (statement) => statement.ahead, { discard: true }))
    ),
  writeNow: plainly && ((rows) => plainly(statementsOf(rows), durability))
})
