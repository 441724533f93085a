import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { writtenFrom } from "../contract/budgets/WrittenBudget.ts"
import type { BudgetStanding } from "./store/BudgetReport.ts"
import { money } from "./Money.ts"

const optional = <A, I>(value: Schema.Schema<A, I>, description: string) =>
  Schema.optional(value).annotations({ description })

/** A budget with its use in the current window. */
export const BudgetRecord = Schema.Struct({
  usd: optional(Schema.Number, "The most that may be spent in a window, in dollars."),
  tokens: optional(Schema.Number, "The most tokens, input and output."),
  requests: optional(Schema.Number, "The most requests."),
  per: optional(Schema.Literal("day", "week", "month", "total"), "The calendar window; weeks begin on Monday."),
  zone: optional(Schema.String, "The calendar's time zone."),
  rolling: optional(Schema.String, "The length of a window that ends now."),
  models: optional(Schema.Array(Schema.String), "Patterns of the models that it is for; absent for all."),
  tag: optional(Schema.String, "The tag that it is for; with `*`, each matching tag has a budget of its own."),
  each: optional(Schema.Literal("end_user"), "Each end user has a budget of its own."),
  used: answerField(
    Schema.Number,
    "Used in the current window, in dollars, tokens or requests, without what is under way. Of tags and end users, the most that one used."
  ),
  used_ratio: answerField(Schema.Number, "`used` divided by the limit."),
  counters: optional(Schema.Int, "The tags and end users that are counted; absent for a budget without them."),
  began_at: answerField(Schema.NullOr(Schema.String), "When the window began (ISO 8601, UTC); null for a total."),
  ends_at: answerField(
    Schema.NullOr(Schema.String),
    "When the window ends and the budget begins again; null for a total and for a rolling window."
  )
}).annotations({ identifier: "Budget" })
export type BudgetRecord = typeof BudgetRecord.Type

export const budgetRecord = ({ beganAtMs, counters, endsAtMs, meter, ratio, used }: BudgetStanding): BudgetRecord => {
  const { usd: _usd, ...written } = writtenFrom(meter.budget)
  const { limit, unit } = meter.budget
  return {
    ...written,
    ...(unit === "usd" && { usd: limit / 1e9 }),
    used: unit === "usd" ? used / 1e9 : used,
    used_ratio: ratio,
    ...(counters !== undefined && { counters }),
    began_at: isoOrNull(beganAtMs),
    ends_at: isoOrNull(endsAtMs)
  }
}

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

/**
 * The only budget, if it is one of dollars for each UTC day or month: earlier versions knew no others.
 */
export const plainStanding = (standings: ReadonlyArray<BudgetStanding>) => {
  const [only, ...others] = standings
  if (only === undefined || others.length > 0) return null
  const { each, limit, models, tag, unit, window } = only.meter.budget
  if (unit !== "usd" || "rollingMs" in window || each !== undefined || models !== undefined || tag !== undefined)
    return null
  if ((window.per !== "day" && window.per !== "month") || window.zone !== "UTC") return null
  return { period: window.per, limit: money(limit), spent: money(only.used) }
}
