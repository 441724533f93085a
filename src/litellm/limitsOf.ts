import type { Limits } from "../contract/callers/Caller.ts"
import type { JsonObject } from "../contract/fields.ts"
import { numberAt, textAt } from "../contract/json/json.ts"
import { budgetOf } from "./budgetOf.ts"
import type { Clock, LitellmBudget } from "./budgetOf.ts"
import { objectOf, objectsOf, timeOf } from "./columns.ts"
import type { PlannedBudget } from "./Plan.ts"

/** `rpm_limit`, `tpm_limit` and `max_parallel_requests` of a row, otherwise of its budget's row. */
export const limitsOf = (row: JsonObject, budget: JsonObject = {}): Limits => {
  const count = (name: string) => {
    const value = numberAt(row, name) ?? numberAt(budget, name)
    return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : undefined
  }
  const [requests, tokens, parallel] = [count("rpm_limit"), count("tpm_limit"), count("max_parallel_requests")]
  return {
    ...(requests !== undefined && { requestsPerMinute: requests }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
    ...(parallel !== undefined && { concurrentRequests: parallel })
  }
}

/** The budgets of a row: its own, otherwise its budget's row; those of single models; further windows. */
export const budgetsOf = (
  row: JsonObject,
  budget: JsonObject | undefined,
  clock: Clock
): { readonly budgets: ReadonlyArray<PlannedBudget>; readonly notes: ReadonlyArray<string> } => {
  const notes: Array<string> = []
  const budgets = new Map<string, PlannedBudget>()
  const add = (one: LitellmBudget, rest: Parameters<typeof budgetOf>[2] = {}) => {
    const { budget: planned, notes: some } = budgetOf(one, clock, rest)
    notes.push(...some)
    if (planned === undefined) return
    // No two may count the same; the smaller one is the one that refuses.
    const counted = JSON.stringify({ ...planned.written, usd: 0 })
    const before = budgets.get(counted)
    if (before === undefined || Number(before.written.usd) > Number(planned.written.usd)) budgets.set(counted, planned)
  }
  const own = numberAt(row, "max_budget") === undefined && budget !== undefined ? budget : row
  const most = numberAt(own, "max_budget")
  if (most !== undefined) {
    add({
      most,
      duration: textAt(own, "budget_duration"),
      resetAtMs: timeOf(own["budget_reset_at"]),
      spent: numberAt(row, "spend") ?? 0
    })
  }
  for (const [model, entry] of Object.entries(objectOf(row["model_max_budget"]))) {
    const most = typeof entry === "number" ? entry : (numberAt(entry, "budget_limit") ?? numberAt(entry, "max_budget"))
    if (most === undefined) continue
    const duration = textAt(entry, "time_period") ?? textAt(entry, "budget_duration")
    add({ most, duration, resetAtMs: undefined, spent: undefined }, { models: [model] })
    notes.push(`what its budget for "${model}" has used isn't in the database: counts from $0`)
  }
  for (const window of objectsOf(row["budget_limits"])) {
    const most = numberAt(window, "max_budget")
    if (most === undefined) continue
    add({ most, duration: textAt(window, "budget_duration"), resetAtMs: timeOf(window["reset_at"]), spent: undefined })
    notes.push(
      `what its window of ${textAt(window, "budget_duration") ?? "?"} has used isn't in the database: counts from $0`
    )
  }
  if (numberAt(own, "soft_budget") !== undefined)
    notes.push("soft_budget: alerts: { budget_at } tells before a budget ends")
  if (numberAt(row, "tpd_limit") !== undefined) {
    notes.push("tpd_limit of batches: a budget of tokens per day, if wanted")
  }
  const all = [...budgets.values()]
  if (all.length > 20) notes.push(`has ${all.length} budgets; 20 come along`)
  return { budgets: all.slice(0, 20), notes }
}
