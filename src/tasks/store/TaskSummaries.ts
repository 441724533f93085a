import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { TaskError, TaskState } from "../Task.ts"

export interface TaskPage {
  readonly account?: string | undefined
  readonly kind?: string | undefined
  readonly model?: string | undefined
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
        .map((name) => (name === "held_nano_usd" ? `COALESCE((${held}), 0) AS ${name}` : name))
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
          ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
          ...(page.after === undefined ? [] : [sql`(created_at, id) < (${page.after.createdAtMs}, ${page.after.id})`])
        ])} ORDER BY created_at DESC, id DESC LIMIT ${page.limit}`,
        summaries.all
      )

    return { find, list } as const
  })
}) {}

/** What its hold sets aside while it has not ended. */
const held = "SELECT nano_usd FROM holds WHERE holds.id = tasks.id"

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
