import { Effect, Either, Schema } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { JsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"
import type { UndecodableRow } from "../../sql/decode.ts"
import { readable } from "../../sql/readable.ts"
import { queuedTask, applyPatch, TaskError, TaskState } from "../Task.ts"
import type { Task, TaskPatch } from "../Task.ts"

const Text = Schema.NullOr(Schema.String)
const Time = Schema.NullOr(Schema.Int)

const tasks = rows("tasks", {
  id: Schema.String,
  kind: Schema.String,
  account_id: AccountId,
  key_id: KeyId,
  model: Schema.String,
  tier: Text,
  state: TaskState,
  lane: Schema.String,
  upstream: Text,
  upstream_id: Text,
  submit_at: Time,
  callback_url: Text,
  details: Schema.parseJson(JsonObject),
  result: Schema.NullOr(Schema.parseJson()),
  error: Schema.NullOr(Schema.parseJson(TaskError)),
  changes: Schema.Int,
  attempts: Schema.Int,
  tries: Schema.Int,
  request_id: Text,
  trace: Text,
  expires_at: Time,
  created_at: Schema.Int,
  updated_at: Schema.Int,
  ended_at: Time
})

const toTask = (row: ReturnType<typeof tasks.one>): Task => ({
  id: row.id,
  kind: row.kind,
  account: row.account_id,
  key: row.key_id,
  model: row.model,
  tier: row.tier,
  state: row.state,
  lane: row.lane,
  upstream: row.upstream,
  upstreamId: row.upstream_id,
  submitAtMs: row.submit_at,
  callbackUrl: row.callback_url,
  details: row.details,
  result: row.result,
  error: row.error,
  changes: row.changes,
  attempts: row.attempts,
  tries: row.tries,
  requestId: row.request_id,
  trace: row.trace,
  expiresAtMs: row.expires_at,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  endedAtMs: row.ended_at
})

/** The readable tasks among these rows; the others are logged. */
export const readableTasks = (all: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Task>> =>
  Effect.map(readable(tasks, "task", all), (some) => some.map(toTask))

export const readTask = (row: unknown): Either.Either<Task, UndecodableRow> => Either.map(tasks.either(row), toTask)

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** The columns that a worker's patch may change. */
const patchable: ReadonlyArray<
  readonly [field: keyof Task, column: string, value: (task: Task) => string | number | null]
> = [
  ["state", "state", (task) => task.state],
  ["lane", "lane", (task) => task.lane],
  ["upstream", "upstream", (task) => task.upstream],
  ["upstreamId", "upstream_id", (task) => task.upstreamId],
  ["submitAtMs", "submit_at", (task) => task.submitAtMs],
  ["details", "details", (task) => json(task.details)],
  ["result", "result", (task) => json(task.result)],
  ["error", "error", (task) => json(task.error)],
  ["changes", "changes", (task) => task.changes],
  ["tries", "tries", (task) => task.tries],
  ["updatedAtMs", "updated_at", (task) => task.updatedAtMs],
  ["endedAtMs", "ended_at", (task) => task.endedAtMs]
]

/** The columns that differ from the stored task. Most turns change few. */
export const patchedColumns = (task: Task, stored: Task): Record<string, string | number | null> => {
  const columns: Record<string, string | number | null> = {}
  for (const [field, column, value] of patchable) if (stored[field] !== task[field]) columns[column] = value(task)
  return columns
}

/** True if a patch does not change a task. */
export const changesNothing = (task: Task, patch: TaskPatch): boolean =>
  Object.keys(patchedColumns(applyPatch(task, patch, task.updatedAtMs), task)).length === 0

/** All columns of a new task, always in the same order. */
export const newColumns = (task: Task): Record<string, string | number | null> => ({
  id: task.id,
  kind: task.kind,
  account_id: task.account,
  key_id: task.key,
  model: task.model,
  tier: task.tier,
  lane: task.lane,
  upstream: task.upstream,
  callback_url: task.callbackUrl,
  request_id: task.requestId,
  trace: task.trace,
  expires_at: task.expiresAtMs,
  created_at: task.createdAtMs,
  state: task.state,
  upstream_id: task.upstreamId,
  submit_at: task.submitAtMs,
  details: json(task.details),
  result: json(task.result),
  error: json(task.error),
  changes: task.changes,
  attempts: task.attempts,
  tries: task.tries,
  next_run_at: task.createdAtMs,
  updated_at: task.updatedAtMs,
  ended_at: task.endedAtMs
})

/** A new task, for the names of its columns. */
export const anyTask = queuedTask({
  id: "",
  kind: "",
  account: AccountId.make(""),
  key: KeyId.make(""),
  model: "",
  lane: "",
  details: {},
  request: null,
  createdAtMs: 0
})
