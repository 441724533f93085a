import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { CallbackState } from "../TaskParams.ts"
import { TaskError, TaskState } from "../Task.ts"

export interface TaskPage {
  readonly account?: string | undefined
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly callback?: CallbackState | undefined
  readonly states?: ReadonlyArray<TaskState> | undefined
  readonly sinceMs: number
  /** The last task of the page before. */
  readonly after?: { readonly createdAtMs: number; readonly id: string } | undefined
  readonly limit: number
}

/** Tasks of every account, for those who run the gateway: without `details` and `result`, which may be large. */
export class TaskSummaries extends Effect.Service<TaskSummaries>()("gateway/tasks/store/TaskSummaries", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      Object.keys(summaryColumns)
        .map((name) => (name in derived ? `${derived[name]} AS ${name}` : name))
        .join(", ")
    )

    const find = (id: string): Effect.Effect<SummaryRow | undefined, SqlError> =>
      Effect.map(sql`SELECT ${columns} FROM tasks WHERE id = ${id}`, summaries.first)

    /** Newest first. */
    const list = (page: TaskPage): Effect.Effect<ReadonlyArray<SummaryRow>, SqlError> =>
      Effect.map(
        sql`SELECT ${columns} FROM tasks WHERE ${sql.and([
          sql`created_at >= ${page.sinceMs}`,
          ...(page.account === undefined ? [] : [sql`account_id = ${page.account}`]),
          ...(page.kind === undefined ? [] : [sql`kind = ${page.kind}`]),
          ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
          ...(page.callback === undefined ? [] : [sql`${sql.literal(callbackState)} = ${page.callback}`]),
          ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
          ...(page.after === undefined ? [] : [sql`(created_at, id) < (${page.after.createdAtMs}, ${page.after.id})`])
        ])} ORDER BY created_at DESC, id DESC LIMIT ${page.limit}`,
        summaries.all
      )

    return { find, list } as const
  })
}) {}

/** By the delivery of its last change. An end that was set aside as unreadable has none. */
const callbackState = `(CASE WHEN callback_url IS NULL THEN NULL ELSE
  CASE (SELECT state FROM deliveries WHERE task_id = tasks.id ORDER BY sequence DESC LIMIT 1)
    WHEN 'failed' THEN 'given_up'
    WHEN 'delivered' THEN CASE WHEN ended_at IS NULL THEN 'waiting' ELSE 'delivered' END
    WHEN 'pending' THEN 'waiting'
    WHEN 'waiting' THEN 'waiting'
    ELSE CASE WHEN ended_at IS NULL THEN 'waiting' END
  END
END)`

/** Columns that the table has not. `held_nano_usd` is what its hold sets aside while it has not ended. */
const derived: Readonly<Record<string, string>> = {
  held_nano_usd: "COALESCE((SELECT nano_usd FROM holds WHERE holds.id = tasks.id), 0)",
  callback_state: callbackState
}

const Text = Schema.NullOr(Schema.String)
const Time = Schema.NullOr(Schema.Int)

const summaryColumns = {
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
  callback_state: Schema.NullOr(CallbackState),
  submit_at: Time,
  started_at: Time,
  held_nano_usd: Schema.Int,
  cost_nano_usd: Schema.Int,
  lease_owner: Text,
  next_run_at: Schema.Int,
  expires_at: Time,
  created_at: Schema.Int,
  updated_at: Schema.Int,
  ended_at: Time
} as const

const summaries = rows("tasks", summaryColumns)
export type SummaryRow = ReturnType<typeof summaries.one>
