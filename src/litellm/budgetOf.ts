import { budgetFrom } from "../contract/budgets/WrittenBudget.ts"
import type { WrittenBudget } from "../contract/budgets/WrittenBudget.ts"
import { mostOfBudget, stepsOfWindow } from "../contract/budgets/Budget.ts"
import { makePlaces } from "../ledger/budgets/windows.ts"
import type { PlannedBudget } from "./Plan.ts"

/** A budget as LiteLLM stores it. */
export interface LitellmBudget {
  /** In dollars. */
  readonly most: number
  /** `30d`; undefined for one that never begins again. */
  readonly duration: string | undefined
  /** The end of the window that runs, in Unix ms. */
  readonly resetAtMs: number | undefined
  /** Dollars spent in the window that runs; undefined if LiteLLM keeps them elsewhere. */
  readonly spent: number | undefined
}

/** The clock by which LiteLLM's windows begin. */
export interface Clock {
  readonly nowMs: number
  /** `litellm_settings.timezone`. */
  readonly zone: string
}

type Rest = Pick<WrittenBudget, "models">

/**
 * A budget in dollars with its spend, and notes on what was not carried over. Days, weeks and months go by the calendar, as LiteLLM's do
 * (`litellm_core_utils/duration_parser.py`), if the window that runs ends where the calendar's does; others roll.
 */
export const budgetOf = (
  { duration, most, resetAtMs, spent }: LitellmBudget,
  { nowMs, zone }: Clock,
  rest: Rest = {}
): { readonly budget: PlannedBudget | undefined; readonly notes: ReadonlyArray<string> } => {
  const nano = Math.round(most * 1e9)
  if (!Number.isSafeInteger(nano) || nano > mostOfBudget) {
    return { budget: undefined, notes: [`a budget of $${most} is above the most, $9,000,000: it has none here`] }
  }
  const notes = nano <= 0 ? ["a budget of $0 is $0.000000001 here, the least"] : []
  const usd = { usd: usdText(Math.max(nano, 1)), ...rest }
  const used = Math.min(Math.max(0, Math.round((spent ?? 0) * 1e9)), mostOfBudget)
  if (spent !== undefined && spent < 0) notes.push(`spent $${spent}: counts from $0`)
  if (duration === undefined) {
    return { budget: { written: { ...usd, per: "total" }, usedNanoUsd: used, leavesAtMs: undefined }, notes }
  }
  const length = lengthOf(duration)
  if (length === undefined) {
    const written: WrittenBudget = { ...usd, per: "total" }
    const why = `budget_duration "${duration}" is no length of time: a total here`
    return { budget: { written, usedNanoUsd: used, leavesAtMs: undefined }, notes: [...notes, why] }
  }
  const isOver = resetAtMs !== undefined && resetAtMs <= nowMs
  const usedNow = isOver ? 0 : used
  if (isOver && used > 0) notes.push(`its window ended at ${isoOf(resetAtMs)}: counts from $0`)
  const { per, rolling } = length
  if (per !== undefined) {
    const written: WrittenBudget = { ...usd, per, zone }
    const { next } = makePlaces(budgetFrom(written).window)(nowMs)
    if (resetAtMs === undefined && usedNow > 0) {
      notes.push(`the beginning of its window isn't known: what was spent counts until ${isoOf(next)}`)
    }
    if (resetAtMs === undefined || isOver || resetAtMs === next) {
      return { budget: { written, usedNanoUsd: usedNow, leavesAtMs: undefined }, notes }
    }
  }
  const written: WrittenBudget = { ...usd, rolling }
  const until = resetAtMs === undefined || isOver ? undefined : resetAtMs
  notes.push(
    `its window of ${duration} can't begin when it did: it rolls (${rolling})` +
      (usedNow === 0 ? "" : `; what was spent counts until ${isoOf(until ?? nowMs + msOf(rolling))}`)
  )
  return { budget: { written, usedNanoUsd: usedNow, leavesAtMs: until }, notes }
}

/** The step of a counter that holds what was used before, and when it ends. */
export const stepOf = ({ leavesAtMs, written }: PlannedBudget, nowMs: number) => {
  const { window } = budgetFrom(written)
  const now = makePlaces(window)(nowMs)
  if (!("rollingMs" in window) || leavesAtMs === undefined) return now
  const stepMs = Math.ceil(window.rollingMs / stepsOfWindow)
  const endsAt = Math.min(Math.ceil(leavesAtMs / stepMs) * stepMs, now.endsAt)
  return { step: endsAt - (stepsOfWindow + 1) * stepMs, endsAt }
}

/** Digits, as settings write dollars. */
const usdText = (nano: number): string => {
  const digits = String(nano).padStart(10, "0")
  let end = digits.length
  while (end > digits.length - 9 && digits[end - 1] === "0") end--
  const decimals = digits.slice(-9, end)
  return decimals === "" ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${decimals}`
}

const words: Readonly<Record<string, string>> = { hourly: "1h", daily: "24h", weekly: "7d", monthly: "30d" }
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, mo: 2_592_000 }
const calendar: Readonly<Record<string, "day" | "week" | "month">> = {
  "1d": "day",
  "24h": "day",
  "7d": "week",
  "1w": "week",
  "30d": "month",
  "1mo": "month"
}

const lengthOf = (text: string) => {
  const trimmed = text.trim().toLowerCase()
  const duration = words[trimmed] ?? trimmed
  const [, count = "", unit = ""] = /^(\d{1,9})(mo|[smhdw])$/.exec(duration) ?? []
  const minutes = Math.ceil((Number(count) * (seconds[unit] ?? 0)) / 60)
  if (minutes < 1) return undefined
  return { per: calendar[duration], rolling: rollingOf(Math.min(minutes, 366 * 1_440)) }
}

/** `14d` of minutes, at most six digits of a unit. */
const rollingOf = (minutes: number): string =>
  minutes % 1_440 === 0 ? `${minutes / 1_440}d` : minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`

const msOf = (rolling: string) => Number(rolling.slice(0, -1)) * (seconds[rolling.slice(-1)] ?? 0) * 1_000

const isoOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC"
