import { Struct } from "effect"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { columnsOf, countOf, measuresIn, noColumns, noCounts } from "../../contract/records/measures.ts"
import { serviceOf } from "../../contract/records/Service.ts"
import type { ServiceName } from "../../contract/records/Service.ts"
import { noSums, usedMeasures } from "../../sums/Sums.ts"
import type { Sums } from "../../sums/Sums.ts"
import type { HeldAmount } from "../Balances.ts"
import type { CostLine } from "../costLines.ts"

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
  readonly used: Usage
  /** `Price.text`, as it was applied. */
  readonly price: string
  /** The part of it that has no price. */
  readonly priceGap?: string | undefined
  /** The lines of its cost, if they don't follow from its counts and its price. */
  readonly costLines?: ReadonlyArray<CostLine> | undefined
  /** The caller's charge: the cost, at most the hold. */
  readonly costNanoUsd: number
  /** The operator's cost by the price of the route that answered. */
  readonly upstreamCostNanoUsd: number
  /** The part of the cost above the hold, which the operator bears. */
  readonly aboveHoldNanoUsd: number
  /** `Bill.toldDifferenceNanoUsd`, of answers that callers pay. Not stored. */
  readonly toldDifferenceNanoUsd?: number | undefined
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
  used: noCounts,
  price: "",
  costNanoUsd: 0,
  upstreamCostNanoUsd: 0,
  aboveHoldNanoUsd: 0
}

const usedColumns = columnsOf(noColumns.usage)

/** Most rows have none of them. */
const noService: Readonly<Record<ServiceName, null>> = {
  service_tier: null,
  speed: null,
  inference_geo: null,
  calls: null,
  price_gap: null
}

const serviceIn = ({ priceGap, used }: UsageRow): Readonly<Record<ServiceName, string | null>> => {
  const { calls, inference_geo, price_gap, service_tier, speed } = serviceOf(used, priceGap)
  return {
    ...noService,
    ...(service_tier !== undefined && { service_tier }),
    ...(speed !== undefined && { speed }),
    ...(inference_geo !== undefined && { inference_geo }),
    ...(calls !== undefined && { calls: JSON.stringify(calls) }),
    ...(price_gap !== undefined && { price_gap })
  }
}

/** A row of `usage`. */
export const columns = (row: UsageRow) => ({
  at: row.atMs,
  request_id: row.requestId,
  account_id: row.account,
  key_id: row.key,
  model: row.model,
  upstream: row.upstream,
  outcome: row.outcome,
  estimated: row.estimated ? 1 : 0,
  ...usedColumns(row.used),
  price: row.price,
  cost_nano_usd: row.costNanoUsd,
  upstream_cost_nano_usd: row.upstreamCostNanoUsd,
  task_id: row.task ?? null,
  above_hold_nano_usd: row.aboveHoldNanoUsd,
  ...serviceIn(row),
  cost_lines: row.costLines === undefined ? null : JSON.stringify(row.costLines)
})

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
    for (const measure of summed) sum[measure] += countOf(row.used, measure)
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
    else for (const name of usedMeasures) sum[name] += day[name]
  }
  return [...days.values()]
}

const summed = measuresIn("usage_days")
const unused = Struct.pick(noSums(), ...usedMeasures)

/** An hour's empty row. */
export const hourRow = (row: UsageRow, hour: number): HourRow => ({
  account_id: row.account,
  day: dayOf(row.atMs),
  hour,
  key_id: row.key,
  model: summedModel(row),
  upstream: row.upstream,
  ...unused
})

export interface DayRow extends Pick<Sums, (typeof usedMeasures)[number]> {
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
