import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"

/** One attempt at a delivery: the receiver's answer, or the reason that there was none. */
export const DeliveryAttempt = Schema.Struct({
  at: Schema.Int.annotations({ description: "When it started, Unix timestamp in seconds." }),
  duration_ms: answerField(Schema.Int, "How long it took."),
  status: Schema.optional(Schema.Int.annotations({ description: "HTTP status of the answer." })),
  reason: Schema.optional(Schema.String.annotations({ description: "The reason for a missing or uncounted answer." })),
  not_before: Schema.optional(
    Schema.Int.annotations({
      description:
        "By the answer's `Retry-After`, Unix seconds: neither this change nor the task's next one is sent earlier."
    })
  )
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/**
 * The state of a delivery: `waiting` for an earlier one of its task, `pending` its next attempt, `delivered`, `failed`
 * for good (without an attempt if an earlier one was answered with 410), or `superseded` by a later change before it
 * arrived.
 */
export const DeliveryState = Schema.Literal("waiting", "pending", "delivered", "failed", "superseded")
export type DeliveryState = typeof DeliveryState.Type

/** `stuck`: a try failed, and it waits for the next one, or it failed for good and no later change of its task arrived. */
export const DeliveryFilter = Schema.Literal(...DeliveryState.literals, "stuck")
export type DeliveryFilter = typeof DeliveryFilter.Type

/** A change of a task and its delivery to the callback address, as the task's owner sees it. */
export const DeliveryRecord = Schema.Struct({
  id: Schema.String.annotations({ description: "Also the `webhook-id` header of every attempt." }),
  task_id: answerField(Schema.String, "The task it reports."),
  status: Schema.String.annotations({ description: "The task status that it reports." }),
  event: Schema.optional(Schema.String).annotations({
    description: "The event's type, if it goes to the account's webhook; absent for the task's own callback address."
  }),
  state: answerField(
    DeliveryState,
    "`waiting` for an earlier one, `pending` its next attempt, `delivered`, `failed` for good (also, without an attempt, after a 410 to an earlier one), or `superseded` by a later change."
  ),
  created_at: answerField(Schema.Int, "Unix seconds of the change that it reports."),
  attempts: answerField(Schema.Array(DeliveryAttempt), "Every try so far."),
  next_attempt_at: Schema.optional(Schema.Int).annotations({ description: "Unix seconds of the next try." }),
  delivered_at: Schema.optional(Schema.Int).annotations({ description: "Unix seconds of its arrival." })
})
export type DeliveryRecord = typeof DeliveryRecord.Type
