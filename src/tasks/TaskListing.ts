import type { AccountId } from "../contract/callers/Caller.ts"
import type { TaskState } from "./Task.ts"

/** A page of an account's tasks of one kind, the newest first unless `order` is `asc`. */
export interface TaskListing {
  readonly account: AccountId
  /** Only these keys', by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly kind: string
  readonly states?: ReadonlyArray<TaskState>
  readonly ids?: ReadonlyArray<string>
  readonly model?: string
  readonly tier?: string
  /** Only tasks created at this time or later. */
  readonly sinceMs: number
  /** Only tasks that follow this one in the order. */
  readonly after?: { readonly id: string; readonly createdAtMs: number }
  readonly order?: "asc" | "desc"
  readonly offset: number
  readonly limit: number
}
