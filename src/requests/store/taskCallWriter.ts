import type { SqlClient } from "@effect/sql"
import { Struct } from "effect"
import { noColumns } from "../../contract/records/measures.ts"
import { isFailedCall } from "../../contract/records/CallOutcome.ts"
import type { TaskCall } from "../../contract/records/TaskCall.ts"
import type { SumNames } from "../../ledger/SumNames.ts"
import { recordset } from "../../sql/postgres/recordset.ts"
import { prepare } from "../../sql/prepare.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { noCounts, plusCall } from "../attemptCounts.ts"
import type { AttemptCounts } from "../attemptCounts.ts"
import { lateHours } from "./RequestDays.ts"

const columns = [
  "at",
  "request_id",
  "task_id",
  "account_id",
  "key_id",
  "model",
  "upstream",
  "upstream_model",
  "upstream_key",
  "outcome",
  "status",
  "error",
  "duration_ms",
  "calls",
  "hidden"
] as const
type Row = Record<(typeof columns)[number], string | number | null>

const texts = new Set(columns.filter((name) => !["at", "status", "duration_ms", "calls", "hidden"].includes(name)))

const rowOf = (call: TaskCall): Row => ({
  at: Math.round(call.atMs),
  request_id: call.requestId,
  task_id: call.task,
  account_id: call.account,
  key_id: call.keyId,
  model: call.asked,
  upstream: call.upstream,
  upstream_model: call.model,
  upstream_key: call.key ?? "",
  outcome: call.outcome,
  status: call.status ?? null,
  error: call.error ?? "",
  duration_ms: Math.round(call.durationMs),
  calls: call.calls,
  hidden: call.isHidden ? 1 : 0
})

/** The rows of calls. Answered reads of tasks' states are one row for each key, model and upstream. */
const rowsOf = (calls: ReadonlyArray<TaskCall>): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  const reads = new Map<string, Row & { calls: number }>()
  for (const call of calls) {
    if (!call.isRead || call.outcome !== "answered") {
      rows.push(rowOf(call))
      continue
    }
    const { account, asked, keyId, upstream } = call
    const group = JSON.stringify([Math.floor(call.atMs / 1_000), account, keyId, asked, upstream])
    const known = reads.get(group)
    if (known === undefined) reads.set(group, { ...rowOf(call), request_id: "", task_id: "", calls: call.calls })
    else known.calls += call.calls
  }
  return [...rows, ...reads.values()]
}

const hourMs = 3_600_000
const sums = ["attempts", "failed_attempts", "hidden_failures", "outpaced_attempts"] as const
/** Sums of requests, of which a call is none. */
const nothing = {
  requests: 0,
  errors: 0,
  first_byte_ms: 0,
  duration_ms: 0,
  ...noColumns.requests,
  cost_nano_usd: 0
}
const hourKey = ["hour", "account_id", "key_id", "model", "upstream"] as const
const hourColumns = [...hourKey, ...Struct.keys(nothing), ...sums] as const
type HourRow = Record<(typeof hourColumns)[number], string | number>

const hoursOf = (calls: ReadonlyArray<TaskCall>, names: Pick<SumNames, "of">): ReadonlyArray<HourRow> => {
  const hours = new Map<string, readonly [Record<(typeof hourKey)[number], string | number>, AttemptCounts]>()
  for (const { account, asked, atMs, calls: count, isHidden, keyId, outcome, upstream } of calls) {
    if (outcome === "unsent") continue
    const at = Math.round(atMs)
    const isAnswered = !isFailedCall(outcome)
    const model = names.of({ account, model: asked, atMs: at, isAnswered }) ?? asked
    const key = { hour: at - (at % hourMs), account_id: account, key_id: keyId, model, upstream }
    const group = JSON.stringify(key)
    const [, before = noCounts] = hours.get(group) ?? []
    hours.set(group, [key, plusCall(before, outcome, count, isHidden)])
  }
  return [...hours.values()].map(([key, counts]) => ({ ...nothing, ...key, ...counts }))
}

const added = `ON CONFLICT (${hourKey.join(", ")}) DO UPDATE SET ${sums
  .map((column) => `${column} = request_hours.${column} + excluded.${column}`)
  .join(", ")}`

/** Writes calls of tasks and their hours' sums. Must run in one transaction. */
export const taskCallWriter = (sql: SqlClient.SqlClient, names: Pick<SumNames, "of">) => {
  const [rowNames, hourNames] = [columns.join(", "), hourColumns.join(", ")]
  const late = lateHours(sql)
  const places = (count: number) => `(${Array(count).fill("?").join(", ")})`
  return sql.onDialectOrElse({
    pg: () => {
      const write = prepare(
        sql,
        sql`WITH added AS (
          INSERT INTO task_calls (${sql.literal(rowNames)})
          SELECT ${sql.literal(rowNames)} FROM ${sql.literal(recordset("$1", columns, texts))}
        )
        INSERT INTO request_hours (${sql.literal(hourNames)})
        SELECT ${sql.literal(hourNames)} FROM ${sql.literal(recordset("$2", hourColumns, texts))}
        ORDER BY hour, account_id, key_id, model, upstream ${sql.literal(added)}`
      )
      return (calls: ReadonlyArray<TaskCall>): ReadonlyArray<Prepared> => {
        const hours = hoursOf(calls, names)
        return [write([JSON.stringify(rowsOf(calls)), JSON.stringify(hours)]), ...late(hours)]
      }
    },
    orElse: () => {
      const row = prepare(
        sql,
        sql`INSERT INTO task_calls (${sql.literal(rowNames)}) VALUES ${sql.literal(places(columns.length))}`
      )
      const hour = prepare(
        sql,
        sql`INSERT INTO request_hours (${sql.literal(hourNames)})
          VALUES ${sql.literal(places(hourColumns.length))} ${sql.literal(added)}`
      )
      return (calls: ReadonlyArray<TaskCall>): ReadonlyArray<Prepared> => {
        const hours = hoursOf(calls, names)
        return [
          ...rowsOf(calls).map((one) => row(columns.map((name) => one[name]))),
          ...hours.map((one) => hour(hourColumns.map((name) => one[name]))),
          ...late(hours)
        ]
      }
    }
  })
}
