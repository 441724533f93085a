import type { SqlClient } from "@effect/sql"
import { Struct } from "effect"
import { measuresIn, noColumns } from "../../contract/records/measures.ts"
import { recordset } from "../../sql/postgres/recordset.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"
import { attemptCounts } from "../attemptCounts.ts"
import { outcomeOf } from "../outcome.ts"
import { columns, modelOf } from "../RequestRow.ts"
import type { RequestRow } from "../RequestRow.ts"
import { lateHours } from "./RequestDays.ts"

const hourMs = 3_600_000

const measured = measuresIn("requests")

/** The sums of an hour's row. */
const nothing = {
  requests: 0,
  errors: 0,
  refused: 0,
  hang_ups: 0,
  first_byte_ms: 0,
  duration_ms: 0,
  ...noColumns.requests,
  cost_nano_usd: 0,
  attempts: 0,
  failed_attempts: 0,
  hidden_failures: 0,
  outpaced_attempts: 0
}
const sums = Struct.keys(nothing)

type HourRow = typeof nothing & {
  readonly hour: number
  readonly account_id: string
  readonly key_id: string
  readonly model: string
  readonly upstream: string
}

const hourColumns = ["hour", "account_id", "key_id", "model", "upstream", ...sums] as const

/** The rows' sums. Price quotes are left out. */
const byHour = (rows: ReadonlyArray<RequestRow>): ReadonlyArray<HourRow> => {
  const hours = new Map<string, HourRow>()
  let last: HourRow | undefined
  for (const row of rows) {
    if (row.family === "account") continue
    const hour = row.at - (row.at % hourMs)
    const model = modelOf(row)
    const { account_id, key_id, upstream } = row
    const at = (upstream: string): HourRow => {
      if (last?.hour === hour && last.key_id === key_id && last.model === model && last.upstream === upstream)
        return last
      const name = `${hour} ${account_id} ${key_id} ${upstream} ${model}`
      const found = hours.get(name) ?? { hour, account_id, key_id, model, upstream, ...nothing }
      hours.set(name, found)
      return found
    }
    for (const [where, counts] of attemptCounts(row)) {
      const sums = at(where)
      sums.attempts += counts.attempts
      sums.failed_attempts += counts.failed_attempts
      sums.hidden_failures += counts.hidden_failures
      sums.outpaced_attempts += counts.outpaced_attempts
    }
    last = at(upstream)
    last.requests++
    if (row.status >= 400 || row.error !== "") {
      last.errors++
      const outcome = outcomeOf(row)
      if (outcome === "refused") last.refused++
      else if (outcome === "hang_up") last.hang_ups++
    }
    last.first_byte_ms += row.first_byte_ms
    last.duration_ms += row.duration_ms
    for (const measure of measured) last[measure] += row[measure]
    last.cost_nano_usd += row.cost_nano_usd ?? 0
  }
  return [...hours.values()]
}

/** Writes rows and their hours' sums in few statements. Must run in one transaction. */
export type WriteRequests = (rows: ReadonlyArray<RequestRow>) => ReadonlyArray<Prepared>

export const requestWriter = (sql: SqlClient.SqlClient): WriteRequests =>
  sql.onDialectOrElse({ pg: () => atOnce(sql), orElse: () => inBatches(sql) })

/** Rows per statement. Each size is prepared once. */
const batchSizes = [32, 8, 1]

const inBatches = (sql: SqlClient.SqlClient): WriteRequests => {
  const inserts = batchSizes.map((size) => ({
    size,
    insert: prepare(
      sql,
      sql`INSERT INTO requests (${sql.literal(columns.join(", "))}) VALUES ${sql.literal(
        Array(size).fill(placesFor(columns.length)).join(", ")
      )}`
    )
  }))
  const hour = prepare(
    sql,
    sql`INSERT INTO request_hours (${sql.literal(hourColumns.join(", "))})
      VALUES ${sql.literal(placesFor(hourColumns.length))} ${sql.literal(added)}`
  )
  const late = lateHours(sql)
  return (rows) => {
    const statements: Array<Prepared> = []
    for (let at = 0; at < rows.length;) {
      const one = inserts.find(({ size }) => size <= rows.length - at)
      if (one === undefined) break
      const values: Array<string | number | null> = []
      for (let n = at; n < at + one.size; n++) {
        const row = rows[n]
        if (row !== undefined) for (const column of columns) values.push(row[column])
      }
      statements.push(one.insert(values))
      at += one.size
    }
    const hours = byHour(rows)
    for (const row of hours) statements.push(hour(hourColumns.map((column) => row[column])))
    return [...statements, ...late(hours)]
  }
}

const placesFor = (count: number) => `(${Array(count).fill("?").join(", ")})`

const added = `ON CONFLICT (hour, account_id, key_id, model, upstream) DO UPDATE SET ${sums
  .map((column) => `${column} = request_hours.${column} + excluded.${column}`)
  .join(", ")}`

const texts = new Set([
  "request_id",
  "account_id",
  "key_id",
  "family",
  "endpoint",
  "model",
  "upstream_model",
  "upstream",
  "error",
  "conversation",
  "details"
])

/** Hours are written in one order, so that two nodes never wait for each other. */
const atOnce = (sql: SqlClient.SqlClient): WriteRequests => {
  const [names, hourNames] = [columns.join(", "), hourColumns.join(", ")]
  const write = prepare(
    sql,
    sql`WITH added AS (
      INSERT INTO requests (${sql.literal(names)}) SELECT ${sql.literal(names)} FROM ${sql.literal(recordset("$1", columns, texts))}
    )
    INSERT INTO request_hours (${sql.literal(hourNames)})
    SELECT ${sql.literal(hourNames)} FROM ${sql.literal(recordset("$2", hourColumns, texts))}
    ORDER BY hour, account_id, key_id, model, upstream ${sql.literal(added)}`
  )
  const late = lateHours(sql)
  return (rows) => {
    const hours = byHour(rows)
    return [write([JSON.stringify(rows), JSON.stringify(hours)]), ...late(hours)]
  }
}
