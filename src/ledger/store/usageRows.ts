import { Struct } from "effect"
import { AccountId, KeyId } from "../../contract/Caller.ts"
import { hourTokens, noUsage } from "../../generation/GenerationEvent.ts"
import type { HeldAmount } from "../Balances.ts"
import type { Consumption } from "../Price.ts"

/** Outcomes that callers pay for. */
const served = ["finished", "hang-up"] as const
export type ServedOutcome = (typeof served)[number]

/** True for the row that counts as a request; others are calls that only the operator pays. */
const isServed = ({ outcome }: Pick<UsageRow, "outcome">): boolean => served.some((one) => one === outcome)

/** SQL of `isServed`. */
export const servedSql = `outcome IN (${served.map((outcome) => `'${outcome}'`).join(", ")})`

/**
 * One settled request, or a call that the caller does not pay: an answer that broke off (`cut`), or one that was not
 * used (`UnusedCall`). With its usage, its cost and its price.
 */
export interface UsageRow {
  readonly atMs: number
  readonly requestId: string
  readonly account: AccountId
  readonly key: KeyId
  readonly model: string
  /** The model's name in sums, if it is another one (`SumNames`). */
  readonly summedAs?: string | undefined
  readonly upstream: string
  readonly outcome: ServedOutcome | "cut" | "outpaced" | "given-up"
  /** True if the gateway counted the usage because the upstream did not report it. */
  readonly estimated: boolean
  readonly used: Consumption
  /** `Price.text`. */
  readonly price: string
  /** The caller's charge: the cost, at most the hold. */
  readonly costNanoUsd: number
  /** The operator's cost by the price of the route that answered. */
  readonly upstreamCostNanoUsd: number
  /** The part of the cost above the hold, which the operator bears. */
  readonly aboveHoldNanoUsd: number
  /** The task that was charged. */
  readonly task?: string | undefined
  /** The request's hold, if it is stored (`BalanceOperations`). */
  readonly held?: HeldAmount | undefined
}

/** The UTC day of a time, `2026-01-31`. */
export const dayOf = (ms: number): string => {
  if (ms < known.fromMs || ms >= known.fromMs + dayMs) {
    const fromMs = Math.floor(ms / dayMs) * dayMs
    known = { fromMs, text: new Date(fromMs).toISOString().slice(0, 10) }
  }
  return known.text
}

/** The UTC hour of a time, in Unix ms. */
const hourOf = (ms: number): number => ms - (ms % 3_600_000)

const dayMs = 86_400_000
/** The last day: nearly always the next one too, and formatting a date costs as much as a row. */
let known = { fromMs: 0, text: "1970-01-01" }

/** Any row, for the names and the number of its columns. */
export const anyRow: UsageRow = {
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
  costNanoUsd: 0,
  upstreamCostNanoUsd: 0,
  aboveHoldNanoUsd: 0
}

/** A row of `usage`, in the order of its columns. A literal: built name by name it would cost five times as much. */
export const columns = (row: UsageRow) => {
  const { used } = row
  return {
    at: row.atMs,
    request_id: row.requestId,
    account_id: row.account,
    key_id: row.key,
    model: row.model,
    upstream: row.upstream,
    outcome: row.outcome,
    estimated: row.estimated ? 1 : 0,
    input_tokens: used.inputTokens,
    cache_read_tokens: used.cacheReadTokens,
    cache_write_tokens: used.cacheWriteTokens,
    output_tokens: used.outputTokens,
    reasoning_tokens: used.reasoningTokens,
    searches: used.searches,
    video_frames: used.videoFrames ?? 0,
    price: row.price,
    cost_nano_usd: row.costNanoUsd,
    cache_write_1h_tokens: hourTokens(used),
    upstream_cost_nano_usd: row.upstreamCostNanoUsd,
    task_id: row.task ?? null,
    above_hold_nano_usd: row.aboveHoldNanoUsd
  }
}

/** The columns of `usage`. */
export const columnNames = Struct.keys(columns(anyRow))

/** The rows' sums by hour, account, key, model and upstream. */
export const byHour = (rows: ReadonlyArray<UsageRow>): ReadonlyArray<HourRow> => {
  const hours = new Map<string, HourRow>()
  let sum: HourRow | undefined
  for (const row of rows) {
    const hour = hourOf(row.atMs)
    // Usually the group of the row before.
    if (sum === undefined || sum.hour !== hour || !isOfGroup(sum, row)) {
      const group = `${hour} ${row.key} ${row.account} ${row.upstream} ${summedModel(row)}`
      sum = hours.get(group) ?? hourRow(row, hour)
      hours.set(group, sum)
    }
    if (isServed(row)) sum.requests++
    sum.input_tokens += row.used.inputTokens
    sum.cache_read_tokens += row.used.cacheReadTokens
    sum.cache_write_tokens += row.used.cacheWriteTokens
    sum.output_tokens += row.used.outputTokens
    sum.reasoning_tokens += row.used.reasoningTokens
    sum.searches += row.used.searches
    sum.video_frames += row.used.videoFrames ?? 0
    sum.cost_nano_usd += row.costNanoUsd
    sum.upstream_cost_nano_usd += row.upstreamCostNanoUsd
    sum.above_hold_nano_usd += row.aboveHoldNanoUsd
  }
  return [...hours.values()]
}

const isOfGroup = (sum: HourRow, row: UsageRow): boolean =>
  sum.key_id === row.key &&
  sum.account_id === row.account &&
  sum.model === summedModel(row) &&
  sum.upstream === row.upstream

const summedModel = ({ model, summedAs }: Pick<UsageRow, "model" | "summedAs">): string => summedAs ?? model

/** The hours' sums by account, day, key and model, as `usage_days` stores them. */
export const byDay = (hours: ReadonlyArray<HourRow>): ReadonlyArray<DayRow> => {
  const days = new Map<string, DayRow>()
  for (const { hour: _hour, upstream: _upstream, ...day } of hours) {
    const group = `${day.day} ${day.key_id} ${day.account_id} ${day.model}`
    const sum = days.get(group)
    if (sum === undefined) days.set(group, day)
    else for (const name of sumNames) sum[name] += day[name]
  }
  return [...days.values()]
}

/** The sums of an hour or a day, in the order of the columns. */
const noSums = {
  requests: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  searches: 0,
  video_frames: 0,
  cost_nano_usd: 0,
  upstream_cost_nano_usd: 0,
  above_hold_nano_usd: 0
}

type Sums = typeof noSums

/** The columns of `usage_days` that add up. */
export const sumNames = Struct.keys(noSums)

/** The columns of `usage_hours` that add up. */
export const hourSumNames = [
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "above_hold_nano_usd"
] as const satisfies ReadonlyArray<keyof Sums>

/** An hour's empty row. */
export const hourRow = (row: UsageRow, hour: number): HourRow => ({
  account_id: row.account,
  day: dayOf(row.atMs),
  hour,
  key_id: row.key,
  model: summedModel(row),
  upstream: row.upstream,
  ...noSums
})

export interface DayRow extends Sums {
  readonly account_id: string
  readonly day: string
  readonly key_id: string
  readonly model: string
}

export interface HourRow extends DayRow {
  /** In Unix ms. */
  readonly hour: number
  readonly upstream: string
}
