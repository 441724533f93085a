import type { SqlError } from "@effect/sql/SqlError"
import type { Exit } from "effect"

/**
 * Reads outside of transactions on an engine in this process. They need no semaphore, span or scope, which cost more
 * than the read.
 */
export interface ReadsAtOnce {
  /** Undefined if the statement does not read or a transaction is open: its uncommitted changes must not be visible. */
  readonly readAtOnce: (
    text: string,
    values: ReadonlyArray<unknown>
  ) => Exit.Exit<ReadonlyArray<unknown>, SqlError> | undefined
}

export const readsAtOnce = <Client extends object>(client: Client): client is Client & ReadsAtOnce =>
  "readAtOnce" in client
