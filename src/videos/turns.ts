import type { TaskError, TaskPatch } from "../tasks/Task.ts"
import type { TaskTurn } from "../tasks/TaskKind.ts"

/** A turn that ends its task. */
export const ends = (patch: TaskPatch): TaskTurn => ({ patch, againInMs: 0 })

/** A turn that ends its task as failed. */
export const failedTurn = ({ code, message }: TaskError): TaskTurn =>
  ends({ state: "failed", error: { code, message } })

/** The same after the upstream answered and made nothing, so that no other reconciliation considers the task. */
export const refusedTurn = ({ code, message }: TaskError): TaskTurn =>
  ends({ state: "failed", error: { code, message }, submitAtMs: null })

/**
 * A submit without an answer whose video was not found.
 *
 * @param reason why it can't be known
 */
export const unconfirmedError = (reason: string): TaskError => ({
  code: "SubmitUnconfirmed",
  message: `The upstream did not confirm that it accepted the task: ${reason}. The task was not submitted again, so that you do not pay twice. Create it again.`
})

/** The reason where the upstream has neither a list of videos nor a name of ours for them. */
export const unsearchable = "it did not answer, and offers no way to find out"

/** The upstream of the task was removed. */
export const unserved: TaskError = {
  code: "ModelUnavailable",
  message: "The upstream for this video is no longer configured."
}

/** The key of the task was removed from the upstream. */
export const keyGone: TaskError = {
  code: "ModelUnavailable",
  message: "The key that made it is gone: the upstream is no longer configured with it."
}
