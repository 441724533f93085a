import { Schema } from "effect"
import { TaskError, TaskState } from "./Task.ts"
import { CallbackState } from "./TaskParams.ts"
import type { CallbackFilter } from "./TaskParams.ts"

const Text = Schema.NullOr(Schema.String)
const Time = Schema.NullOr(Schema.Int)

/** A task without `details` and `result`, which may be large: columns of its table, and those of `derivedColumns`. */
export const summaryColumns = {
  id: Schema.String,
  kind: Schema.String,
  account_id: Schema.String,
  key_id: Schema.String,
  model: Schema.String,
  state: TaskState,
  upstream: Text,
  upstream_id: Text,
  error: Schema.NullOr(Schema.parseJson(TaskError)),
  attempts: Schema.Int,
  tries: Schema.Int,
  callback_url: Text,
  request_id: Text,
  submit_at: Time,
  started_at: Time,
  cost_nano_usd: Schema.Int,
  lease_owner: Text,
  next_run_at: Schema.Int,
  expires_at: Time,
  created_at: Schema.Int,
  updated_at: Schema.Int,
  ended_at: Time
} as const

/** Columns that are computed. */
export const derivedColumns = {
  callback_state: Schema.NullOr(CallbackState),
  callback_stuck: Schema.Boolean,
  callback_next_at: Time
} as const

const Summary = Schema.Struct({ ...summaryColumns, ...derivedColumns })
export interface SummaryRow extends Schema.Schema.Type<typeof Summary> {
  /** In per cent, if its kind tells it. */
  readonly progress: number | null
}

/** A page of the tasks of every account, newest first. */
export interface TaskPage {
  readonly account?: string | undefined
  /** Only these keys', by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly callback?: CallbackFilter | undefined
  readonly states?: ReadonlyArray<TaskState> | undefined
  readonly sinceMs: number
  /** The last task of the page before. */
  readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined
  readonly limit: number
}
