import { Schema } from "effect"
import type { ListedDelivery } from "../callbacks/store/DeliveryList.ts"
import { DeliveryAttempt, DeliveryState } from "../callbacks/DeliveryRecord.ts"
import { said } from "../contract/fields.ts"
import { isoOrNull, isoTime } from "./fields.ts"

/** The operator's view of a callback: its state, without its body. */
export const DeliverySummary = Schema.Struct({
  object: Schema.Literal("delivery"),
  id: said(Schema.String, "Its id, also the `webhook-id` header of every attempt."),
  task: said(Schema.String, "The task whose change it reports."),
  account: said(Schema.String, "Its account."),
  status: said(Schema.String, "The task status that it reports."),
  event: said(
    Schema.NullOr(Schema.String),
    "The event's type, if it goes to the account's webhook; null for the task's own callback address."
  ),
  url: said(Schema.String, "The address it is sent to."),
  state: said(
    DeliveryState,
    "`waiting` for an earlier one, `pending` its next attempt, `delivered`, `failed` for good, or `superseded` by a later change."
  ),
  attempts: said(Schema.Array(DeliveryAttempt), "Every try so far, 50 at most."),
  created_at: said(Schema.String, "When its task changed (ISO 8601, UTC)."),
  next_attempt_at: said(Schema.NullOr(Schema.String), "The next attempt; null if there is none."),
  delivered_at: said(Schema.NullOr(Schema.String), "When it arrived.")
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
