import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { numberAt, parseJson } from "../../contract/json/json.ts"
import { rows } from "../../sql/decode.ts"
import { firstRows } from "../../sql/slices.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import type { CallbackFilter } from "../TaskParams.ts"
import { derivedColumns, summaryColumns } from "../TaskSummary.ts"
import type { SummaryRow } from "../TaskSummary.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

/** Tasks of all accounts, for operators. */
export const makeSummaries = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal([...Object.keys(summaryColumns), ...derived].join(", "))

  const summary: TaskStorage["summary"] = (id) =>
    Effect.map(orStoreFailure(sql`SELECT ${columns} FROM tasks WHERE id = ${id}`), (found) => summariesOf(found)[0])

  const summaries: TaskStorage["summaries"] = (page) =>
    orStoreFailure(
      firstRows(sql)(
        {
          table: "tasks",
          key: { created_at: Schema.Int, id: Schema.String },
          isDescending: true,
          whose: page.account === undefined ? undefined : sql`account_id = ${page.account}`,
          begins: page.after && sql`(created_at, id) < (${page.after.createdAtMs}, ${page.after.id})`,
          ends: sql`created_at >= ${page.sinceMs}`
        },
        page.limit,
        (within, left) =>
          Effect.map(
            sql`SELECT ${columns} FROM tasks WHERE ${sql.and([
              within,
              ...ofKeys(sql, page.keys),
              ...(page.kind === undefined ? [] : [sql`kind = ${page.kind}`]),
              ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
              ...(page.callback === undefined ? [] : [inState(page.callback)]),
              ...(page.states === undefined ? [] : [sql.in("state", page.states)])
            ])} ORDER BY created_at DESC, id DESC LIMIT ${left}`,
            summariesOf
          )
      )
    )

  const inState = (callback: CallbackFilter) =>
    callback === "stuck" ? sql.literal(isStuck) : sql`${sql.literal(callbackState)} = ${callback}`

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

/** A delivery that arrived once and is sent again is not stuck. */
const pending = "FROM deliveries WHERE task_id = tasks.id AND event = '' AND state = 'pending'"
const isStuck = `(callback_url IS NOT NULL AND (EXISTS (SELECT 1 ${pending} AND tries > 0 AND delivered_at IS NULL)
  OR ${callbackState} = 'given_up'))`

const derived = [
  `${callbackState} AS callback_state`,
  `CASE WHEN ${isStuck} THEN 1 ELSE 0 END AS callback_stuck`,
  // While one is being sent, `next_at` is the end of its lease.
  `(SELECT next_at ${pending} AND lease_token IS NULL) AS callback_next_at`,
  "CASE WHEN state = 'running' THEN details END AS running_details"
]

const all = rows("tasks", { ...summaryColumns, ...derivedColumns, running_details: Schema.NullOr(Schema.String) })

const summariesOf = (found: ReadonlyArray<unknown>): ReadonlyArray<SummaryRow> =>
  all.all(found).map(({ running_details: details, ...row }) => ({
    ...row,
    progress: numberAt(parseJson(details ?? ""), "progress") ?? null
  }))
