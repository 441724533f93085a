import { Schema } from "effect"
import type { ListedDelivery } from "../callbacks/store/DeliveryList.ts"
import { DeliveryAttempt, DeliveryState } from "../callbacks/DeliveryRecord.ts"
import { answerField } from "../contract/fields.ts"
import { isoOrNull, isoTime } from "./fields.ts"

/** The operator's view of a callback: its state, without its body. */
export const DeliverySummary = Schema.Struct({
  object: Schema.Literal("delivery"),
  id: answerField(Schema.String, "Its id, also the `webhook-id` header of every attempt."),
  task: answerField(Schema.String, "The task whose change it reports."),
  account: answerField(Schema.String, "Its account."),
  status: answerField(Schema.String, "The task status that it reports."),
  event: answerField(
    Schema.NullOr(Schema.String),
    "The event's type, if it goes to the account's webhook; null for the task's own callback address."
  ),
  url: answerField(Schema.String, "The address it is sent to."),
  state: answerField(
    DeliveryState,
    "`waiting` for an earlier one, `pending` its next attempt, `delivered`, `failed` for good, or `superseded` by a later change."
  ),
  attempts: answerField(Schema.Array(DeliveryAttempt), "Every try so far, 50 at most."),
  created_at: answerField(Schema.String, "When its task changed (ISO 8601, UTC)."),
  next_attempt_at: answerField(Schema.NullOr(Schema.String), "The next attempt; null if there is none."),
  delivered_at: answerField(Schema.NullOr(Schema.String), "When it arrived.")
}).annotations({ identifier: "DeliverySummary" })
export type DeliverySummary = typeof DeliverySummary.Type

/** Converts a row of the store. */
export const deliverySummary = (row: ListedDelivery): DeliverySummary => ({
  object: "delivery",
  id: row.id,
  task: row.task_id,
  account: row.account_id,
  status: row.status,
  event: row.event === "" ? null : row.event,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  created_at: isoTime(row.changed_at),
  next_attempt_at: isoOrNull(row.next_at),
  delivered_at: isoOrNull(row.delivered_at)
})
