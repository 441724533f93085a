import { Schema } from "effect"
import { CallbackState } from "./TaskParams.ts"
import type { SummaryRow } from "./TaskSummary.ts"

const nullable = <A, I>(value: Schema.Schema<A, I>, description: string) =>
  Schema.optional(Schema.NullOr(value)).annotations({ description })

/** Fields of every view of a task. Optional: records of older gateways have fewer of them. */
export const TaskFields = {
  request_id: nullable(
    Schema.String,
    "The `x-request-id` of the request that created it; null if an older gateway stored it."
  ),
  progress: nullable(Schema.Int, "Per cent, while it runs, if its upstream tells it; null otherwise."),
  callback_state: nullable(
    CallbackState,
    "`waiting` while a callback is being sent or more will come, `delivered` once the last was, `given_up` if the last " +
      "one failed for good; null without a `callback_url`."
  ),
  callback_stuck: Schema.optional(Schema.Boolean).annotations({
    description: "True if a try of its callback failed: it waits for the next one, or was given up."
  }),
  callback_next_at: nullable(
    Schema.String,
    "When its callback is tried next (ISO 8601, UTC); null if none waits, and while one is being sent."
  )
}

/** @param row of the store */
export const taskFields = (row: SummaryRow) => ({
  request_id: row.request_id,
  progress: row.state === "running" ? row.progress : null,
  callback_state: row.callback_state,
  callback_stuck: row.callback_stuck,
  callback_next_at: row.callback_next_at === null ? null : new Date(row.callback_next_at).toISOString()
})
