import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { AccountId, KeyId } from "../contract/Caller.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { prepared } from "../sql/prepared.ts"
import type { Consumption } from "./Price.ts"

/** One settled request: what it used, and what that cost at which price. */
export interface UsageRow {
  readonly atMs: number
  readonly requestId: string
  readonly account: AccountId
  readonly key: KeyId
  readonly model: string
  readonly upstream: string
  readonly outcome: "finished" | "hang-up"
  /** The upstream told no usage: it was counted here. */
  readonly estimated: boolean
  readonly used: Consumption
  /** `Price.text`. */
  readonly price: string
  readonly costNanoUsd: number
}

/**
 * Every request writes a row, so the database gets texts that it has prepared before: a thousand rows are fifteen
 * statements of 64 and some smaller ones for what is left, for half of what one new text for every number of rows costs.
 */
const batchSizes = [64, 16, 4]

/**
 * Writes usage rows and what follows from them: the accounts' settled sums, the keys' spending and the sums of the
 * day. Any number of rows in a few statements; to be run in one transaction.
 */
export type WriteUsage = (rows: ReadonlyArray<UsageRow>) => Effect.Effect<void, SqlError>

export const usageWriter = (sql: SqlClient.SqlClient): WriteUsage => {
  const inserting = (size: number) => ({
    size,
    insert: prepared(sql, sql`INSERT INTO usage ${sql.insert(Array.from({ length: size }, () => columns(anyRow)))}`)
  })
  const inserts = batchSizes.map(inserting)
  const insertOne = inserting(1)
  const settled = prepared(sql, sql`UPDATE accounts SET settled_nano_usd = settled_nano_usd + ${0} WHERE id = ${""}`)
  const spent = prepared(
    sql,
    sql`INSERT INTO key_spending ${sql.insert({ key_id: "", day: "", nano_usd: 0 })}
      ON CONFLICT (key_id, day) DO UPDATE SET nano_usd = key_spending.nano_usd + excluded.nano_usd`
  )
  const used = prepared(
    sql,
    sql`INSERT INTO usage_days ${sql.insert(dayRow(anyRow, ""))}
      ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET ${sql.literal(
        Object.keys(nothing)
          .map((column) => `${column} = usage_days.${column} + excluded.${column}`)
          .join(", ")
      )}`
  )
  return (rows) => {
    const statements: Array<Effect.Effect<unknown, SqlError>> = []
    for (let at = 0; at < rows.length;) {
      const { insert, size } = inserts.find((one) => one.size <= rows.length - at) ?? insertOne
      const values: Array<string | number> = []
      for (let n = at; n < at + size; n++) {
        const row = rows[n]
        if (row !== undefined) pushValues(values, row)
      }
      statements.push(insert(values))
      at += size
    }
    const days = byDay(rows)
    for (const [account, nanoUsd] of sums(days, (day) => day.account_id)) statements.push(settled([nanoUsd, account]))
    for (const [dayAndKey, nanoUsd] of sums(days, ({ day, key_id }) => `${day} ${key_id}`)) {
      statements.push(spent([dayAndKey.slice(11), dayAndKey.slice(0, 10), nanoUsd]))
    }
    for (const day of days) statements.push(used(Object.values(day)))
    return Effect.all(statements, { discard: true })
  }
}

/** The UTC day of a time, `2026-01-31`. */
export const dayOf = (ms: number): string => {
  if (ms < known.fromMs || ms >= known.fromMs + dayMs) {
    const fromMs = Math.floor(ms / dayMs) * dayMs
    known = { fromMs, text: new Date(fromMs).toISOString().slice(0, 10) }
  }
  return known.text
}

const dayMs = 86_400_000
/** The day asked for last: nearly always the one asked for next, and a date's text costs as much as a row. */
let known = { fromMs: 0, text: "1970-01-01" }

/** In the order of `pushValues`. */
const columnNames = [
  "at",
  "request_id",
  "account_id",
  "key_id",
  "model",
  "upstream",
  "outcome",
  "estimated",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "video_frames",
  "price",
  "cost_nano_usd"
] as const

const pushValues = (values: Array<string | number>, row: UsageRow): void => {
  const { used } = row
  values.push(row.atMs, row.requestId, row.account, row.key, row.model, row.upstream, row.outcome)
  values.push(row.estimated ? 1 : 0, used.inputTokens, used.cacheReadTokens, used.cacheWriteTokens)
  values.push(used.outputTokens, used.reasoningTokens, used.searches, used.videoFrames ?? 0, row.price, row.costNanoUsd)
}

/** Stands for any row where only the names and the number of its columns matter. */
const anyRow: UsageRow = {
  atMs: 0,
  requestId: "",
  account: AccountId.make(""),
  key: KeyId.make(""),
  model: "",
  upstream: "",
  outcome: "finished",
  estimated: false,
  used: { ...noUsage },
  price: "",
  costNanoUsd: 0
}

const columns = (row: UsageRow): Record<string, string | number> => {
  const values: Array<string | number> = []
  pushValues(values, row)
  return Object.fromEntries(columnNames.map((name, index) => [name, values[index] ?? 0]))
}

/** The rows' sums by account, day, key and model, as `usage_days` keeps them. */
const byDay = (rows: ReadonlyArray<UsageRow>): ReadonlyArray<DayRow> => {
  const days = new Map<string, DayRow>()
  let sum: DayRow | undefined
  for (const row of rows) {
    const day = dayOf(row.atMs)
    // Mostly it is the group of the row before.
    if (sum?.day !== day || sum.key_id !== row.key || sum.account_id !== row.account || sum.model !== row.model) {
      const group = `${day} ${row.key} ${row.account} ${row.model}`
      sum = days.get(group) ?? dayRow(row, day)
      days.set(group, sum)
    }
    sum.requests++
    sum.input_tokens += row.used.inputTokens
    sum.cache_read_tokens += row.used.cacheReadTokens
    sum.cache_write_tokens += row.used.cacheWriteTokens
    sum.output_tokens += row.used.outputTokens
    sum.reasoning_tokens += row.used.reasoningTokens
    sum.searches += row.used.searches
    sum.video_frames += row.used.videoFrames ?? 0
    sum.cost_nano_usd += row.costNanoUsd
  }
  return [...days.values()]
}

const nothing = {
  requests: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  video_frames: 0,
  cost_nano_usd: 0
}

const dayRow = ({ account, key, model }: UsageRow, day: string): DayRow => ({
  account_id: account,
  day,
  key_id: key,
  model,
  ...nothing
})

type DayRow = typeof nothing & {
  readonly account_id: string
  readonly day: string
  readonly key_id: string
  readonly model: string
}

/** Costs by group; groups that cost nothing are left out. */
const sums = (days: ReadonlyArray<DayRow>, group: (day: DayRow) => string): Map<string, number> => {
  const all = new Map<string, number>()
  for (const day of days) {
    const cost = day.cost_nano_usd
    if (cost !== 0) all.set(group(day), (all.get(group(day)) ?? 0) + cost)
  }
  return all
}
