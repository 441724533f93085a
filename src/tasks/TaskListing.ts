import type { AccountId } from "../contract/Caller.ts"
import type { TaskState } from "./Task.ts"

/** A page of an account's tasks of one kind, the newest first. */
export interface TaskListing {
  readonly account: AccountId
  readonly kind: string
  readonly states?: ReadonlyArray<TaskState>
  readonly ids?: ReadonlyArray<string>
  readonly model?: string
  readonly tier?: string
  /** Only tasks created at this time or later. */
  readonly sinceMs: number
  readonly offset: number
  readonly limit: number
}
