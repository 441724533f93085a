import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { rows } from "../../sql/decode.ts"
import { stored } from "../StoreFailure.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import { summaryColumns } from "../TaskSummary.ts"

/** Tasks of all accounts, for operators. */
export const makeSummaries = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(
    Object.keys(summaryColumns)
      .map((name) => (name === "callback_state" ? `${callbackState} AS ${name}` : name))
      .join(", ")
  )

  const summary: TaskStorage["summary"] = (id) =>
    Effect.map(stored(sql`SELECT ${columns} FROM tasks WHERE id = ${id}`), all.first)

  const summaries: TaskStorage["summaries"] = (page) =>
    Effect.map(
      stored(
        sql`SELECT ${columns} FROM tasks WHERE ${sql.and([
          sql`created_at >= ${page.sinceMs}`,
          ...(page.account === undefined ? [] : [sql`account_id = ${page.account}`]),
          ...(page.kind === undefined ? [] : [sql`kind = ${page.kind}`]),
          ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
          ...(page.callback === undefined ? [] : [sql`${sql.literal(callbackState)} = ${page.callback}`]),
          ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
          ...(page.after === undefined ? [] : [sql`(created_at, id) < (${page.after.createdAtMs}, ${page.after.id})`])
        ])} ORDER BY created_at DESC, id DESC LIMIT ${page.limit}`
      ),
      all.all
    )

  return { summary, summaries } as const
})

/** By the delivery of its last change. A task that was set aside as unreadable has none. */
const callbackState = `(CASE WHEN callback_url IS NULL THEN NULL ELSE
  CASE (SELECT state FROM deliveries WHERE task_id = tasks.id AND event = '' ORDER BY sequence DESC LIMIT 1)
    WHEN 'failed' THEN 'given_up'
    WHEN 'delivered' THEN CASE WHEN ended_at IS NULL THEN 'waiting' ELSE 'delivered' END
    WHEN 'pending' THEN 'waiting'
    WHEN 'waiting' THEN 'waiting'
    ELSE CASE WHEN ended_at IS NULL THEN 'waiting' END
  END
END)`

const all = rows("tasks", summaryColumns)
