import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { AccountId } from "./callers/Caller.ts"

/** A request that may run again, after a crash or a rate limit. Its runs share a journal of tool calls. */
export interface JournalOwner {
  /** A task's id, or a hash of account, endpoint, key and body. */
  readonly id: string
  readonly account: AccountId
  /** True if nothing may ever end the request: then its journal is removed a day after its last write. */
  readonly expires: boolean
  /** Fails if another run has taken the request over. Runs in the transaction of each write of the journal. */
  readonly held: Effect.Effect<unknown, unknown>
  /** @param remove removes the journal, in the transaction that stores the request's answer */
  readonly opened?: (remove: Effect.Effect<unknown, SqlError>) => void
}
