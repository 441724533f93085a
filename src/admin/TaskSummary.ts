import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { TaskFields, taskFields } from "../tasks/TaskFields.ts"
import { TaskError, TaskState } from "../tasks/Task.ts"
import type { SummaryRow } from "../tasks/TaskSummary.ts"
import { isoOrNull, isoTime } from "./fields.ts"

/** The operator's view of a task: its state, without its input and output. */
export const TaskSummary = Schema.Struct({
  object: Schema.Literal("task"),
  id: answerField(Schema.String, "Its id."),
  kind: answerField(Schema.String, "`message`, `response`, `video` or `batch`."),
  account: answerField(Schema.String, "Its account."),
  key: answerField(Schema.String, "Id of the key it came with."),
  model: answerField(Schema.String, "The model as the request named it."),
  state: answerField(TaskState, "Its state."),
  upstream: answerField(Schema.NullOr(Schema.String), "The upstream; null until it is chosen."),
  upstream_id: answerField(Schema.NullOr(Schema.String), "Its id at the upstream; null until it was submitted."),
  error: answerField(Schema.NullOr(TaskError), "Why it failed; null unless it did."),
  attempts: answerField(Schema.Int, "Consecutive workers that died while running it."),
  tries: answerField(Schema.Int, "Consecutive calls to the upstream without news."),
  held_usd: answerField(Schema.Number, "Dollars held for it until it ends."),
  cost_usd: answerField(Schema.Number, "Its cost in dollars; 0 until it ends."),
  callback_url: answerField(Schema.NullOr(Schema.String), "The address its changes are sent to."),
  ...TaskFields,
  held_by: answerField(Schema.NullOr(Schema.String), "The process working on it."),
  next_run_at: answerField(
    Schema.NullOr(Schema.String),
    "When it is next processed; null while a process works on it and once it ended."
  ),
  expires_at: answerField(Schema.NullOr(Schema.String), "When it expires if it has not ended."),
  created_at: answerField(Schema.String, "ISO 8601, UTC."),
  submitted_at: answerField(Schema.NullOr(Schema.String), "The last submit to its upstream; null if none is stored."),
  started_at: answerField(Schema.NullOr(Schema.String), "When it was first seen running; null if it never was."),
  updated_at: answerField(Schema.String, "When its state last changed."),
  ended_at: answerField(Schema.NullOr(Schema.String), "When it ended.")
}).annotations({ identifier: "TaskSummary" })
export type TaskSummary = typeof TaskSummary.Type

/** Converts a row of the store. */
export const taskSummary = (row: SummaryRow, heldNanoUsd: number): TaskSummary => ({
  object: "task",
  id: row.id,
  kind: row.kind,
  account: row.account_id,
  key: row.key_id,
  model: row.model,
  state: row.state,
  upstream: row.upstream,
  upstream_id: row.upstream_id,
  error: row.error,
  attempts: row.attempts,
  tries: row.tries,
  held_usd: heldNanoUsd / 1e9,
  cost_usd: row.cost_nano_usd / 1e9,
  callback_url: row.callback_url,
  ...taskFields(row),
  held_by: row.lease_owner,
  next_run_at: row.ended_at === null && row.lease_owner === null ? isoTime(row.next_run_at) : null,
  expires_at: isoOrNull(row.expires_at),
  created_at: isoTime(row.created_at),
  submitted_at: isoOrNull(row.submit_at),
  started_at: isoOrNull(row.started_at),
  updated_at: isoTime(row.updated_at),
  ended_at: isoOrNull(row.ended_at)
})
