import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { TaskFields, taskFields } from "../tasks/TaskFields.ts"
import { TaskError, TaskState } from "../tasks/Task.ts"
import type { SummaryRow } from "../tasks/TaskSummary.ts"

const Time = Schema.NullOr(Schema.String)

/** The account holder's view of a task: its state, without its input and output. */
export const TaskView = Schema.Struct({
  object: Schema.Literal("task"),
  id: answerField(Schema.String, "Its id."),
  kind: answerField(Schema.String, "`message`, `response`, `video` or `batch`."),
  key: answerField(Schema.String, "Id of the key it came with."),
  model: answerField(Schema.String, "The model as the request named it."),
  state: answerField(TaskState, "Its state."),
  error: answerField(Schema.NullOr(TaskError), "Why it failed; null unless it did."),
  held_usd: answerField(Schema.Number, "Dollars held for it until it ends."),
  cost_usd: answerField(Schema.Number, "Its cost in dollars; 0 until it ends."),
  callback_url: answerField(Schema.NullOr(Schema.String), "The address its changes are sent to."),
  ...TaskFields,
  expires_at: answerField(Time, "When it expires if it has not ended."),
  created_at: answerField(Schema.String, "ISO 8601, UTC."),
  started_at: answerField(Time, "When it was first seen running; null if it never was."),
  updated_at: answerField(Schema.String, "When its state last changed."),
  ended_at: answerField(Time, "When it ended.")
}).annotations({ identifier: "OwnTask" })

export const taskView = (row: SummaryRow, heldNanoUsd: number): typeof TaskView.Type => ({
  object: "task",
  id: row.id,
  kind: row.kind,
  key: row.key_id,
  model: row.model,
  state: row.state,
  error: row.error,
  held_usd: heldNanoUsd / 1e9,
  cost_usd: row.cost_nano_usd / 1e9,
  callback_url: row.callback_url,
  ...taskFields(row),
  expires_at: row.expires_at === null ? null : iso(row.expires_at),
  created_at: iso(row.created_at),
  started_at: row.started_at === null ? null : iso(row.started_at),
  updated_at: iso(row.updated_at),
  ended_at: row.ended_at === null ? null : iso(row.ended_at)
})

const iso = (ms: number) => new Date(ms).toISOString()
