import type { SqlError } from "@effect/sql/SqlError"
import type { Exit } from "effect"

/**
 * Reads outside of transactions, at an engine inside this process: they need no turn, span or scope, which cost more
 * than the read.
 */
export interface ReadsAtOnce {
  /** Undefined where it is no read, or somebody's transaction is open: what that has changed is not to be seen yet. */
  readonly readAtOnce: (
    text: string,
    values: ReadonlyArray<unknown>
  ) => Exit.Exit<ReadonlyArray<unknown>, SqlError> | undefined
}

export const readsAtOnce = <Client extends object>(client: Client): client is Client & ReadsAtOnce =>
  "readAtOnce" in client
