import { Schema } from "effect"
import { AccountId, KeyId } from "../contract/Caller.ts"
import { JsonObject } from "../contract/fields.ts"
import { TaskError } from "./Task.ts"
import type { NewTask, Task, TaskState } from "./Task.ts"

/** A row of `tasks`. */
export interface TaskRow {
  readonly id: string
  readonly kind: string
  readonly account_id: string
  readonly key_id: string
  readonly model: string
  readonly tier: string | null
  readonly state: TaskState
  readonly lane: string
  readonly upstream: string | null
  readonly upstream_id: string | null
  readonly submit_at: number | null
  readonly callback_url: string | null
  readonly details: string
  readonly result: string | null
  readonly error: string | null
  readonly changes: number
  readonly attempts: number
  readonly tries: number
  readonly lease_token: string | null
  readonly lease_owner: string | null
  readonly next_run_at: number
  readonly expires_at: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly ended_at: number | null
}

const parseDetails = Schema.decodeUnknownSync(Schema.parseJson(JsonObject))
const parseError = Schema.decodeUnknownSync(Schema.parseJson(TaskError))

export const toTask = (row: TaskRow): Task => ({
  id: row.id,
  kind: row.kind,
  account: AccountId.make(row.account_id),
  key: KeyId.make(row.key_id),
  model: row.model,
  tier: row.tier,
  state: row.state,
  lane: row.lane,
  upstream: row.upstream,
  upstreamId: row.upstream_id,
  submitAtMs: row.submit_at,
  callbackUrl: row.callback_url,
  details: parseDetails(row.details),
  result: row.result === null ? null : JSON.parse(row.result),
  error: row.error === null ? null : parseError(row.error),
  changes: row.changes,
  attempts: row.attempts,
  tries: row.tries,
  expiresAtMs: row.expires_at,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  endedAtMs: row.ended_at
})

/** A new task as it is stored, and so as it is. */
export const created = (task: NewTask): Task => ({
  id: task.id,
  kind: task.kind,
  account: task.account,
  key: task.key,
  model: task.model,
  tier: task.tier ?? null,
  state: "queued",
  lane: task.lane,
  upstream: task.upstream ?? null,
  upstreamId: null,
  submitAtMs: null,
  callbackUrl: task.callbackUrl ?? null,
  details: task.details,
  result: null,
  error: null,
  changes: 1,
  attempts: 0,
  tries: 0,
  expiresAtMs: task.expiresAtMs ?? null,
  createdAtMs: task.createdAtMs,
  updatedAtMs: task.createdAtMs,
  endedAtMs: null
})

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** The columns that a worker's patch may change. */
const patchable: ReadonlyArray<
  readonly [field: keyof Task, column: string, value: (task: Task) => string | number | null]
> = [
  ["state", "state", (task) => task.state],
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

/** What differs between a task as it is stored and as it is to be: most turns change next to nothing. */
export const patchedColumns = (task: Task, stored: Task): Record<string, string | number | null> => {
  const columns: Record<string, string | number | null> = {}
  for (const [field, column, value] of patchable) if (stored[field] !== task[field]) columns[column] = value(task)
  return columns
}

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
