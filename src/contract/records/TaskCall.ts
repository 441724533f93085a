import type { Attempt } from "./Attempt.ts"
import type { AccountId, KeyId } from "../callers/Caller.ts"

/** An ended call to an upstream that a task made. */
export interface TaskCall extends Pick<
  Attempt,
  "outcome" | "calls" | "upstream" | "model" | "key" | "status" | "error" | "durationMs"
> {
  readonly kind: "text" | "video"
  /** The task that it was for, the request that created it, and the request's model. */
  readonly task: string
  readonly requestId: string
  readonly asked: string
  readonly account: AccountId
  readonly keyId: KeyId
  readonly atMs: number
  /** It failed, and another call of the same run answered. */
  readonly isHidden: boolean
  /** It only reads the task's state: answered ones are added up, not stored one by one. */
  readonly isRead: boolean
}
