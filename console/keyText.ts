import { scopeText } from "../src/contract/WrittenBudget.ts"
import { usd } from "./format.ts"
import type { KeyRecord } from "../src/admin/KeyRecord.ts"
import { countText } from "./format.ts"
import { words } from "./words/words.ts"

/** Limits in a few words: `600 rpm · 400 k tpm`; undefined if there are none. */
export const limitsText = (limits: KeyRecord["limits"]): string | undefined => {
  const text = words.keys.limits
  const parts = [
    limits.requests_per_minute === null ? [] : [text.requests(countText(limits.requests_per_minute))],
    limits.tokens_per_minute === null ? [] : [text.tokens(countText(limits.tokens_per_minute))],
    limits.concurrent_requests === null ? [] : [text.concurrent(countText(limits.concurrent_requests))],
    limits.concurrent_tasks === null ? [] : [text.tasks(countText(limits.concurrent_tasks))]
  ].flat()
  return parts.length === 0 ? undefined : parts.join(" · ")
}

/** A budget with its use: `$2.00 of $50.00 a month`. */
export const budgetText = (budget: Budget): string => {
  const { requests, tokens, usd: most, used } = budget
  const amount = (of: number) => (most === undefined ? of.toLocaleString("en") : usd(of))
  const unit = most !== undefined ? "" : tokens !== undefined ? " tokens" : " requests"
  return `${amount(used)} of ${amount(most ?? tokens ?? requests ?? 0)}${unit} ${scopeText(budget)}`
}

type Budget = KeyRecord["budgets"][number]
