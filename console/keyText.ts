import type { Role } from "../src/contract/callers/Acting.ts"
import { hintShown } from "../src/contract/callers/keyHint.ts"
import { hasOwnKeysAlone } from "../src/contract/callers/roles.ts"
import { scopeText } from "../src/contract/text/scopeText.ts"
import { costText } from "../src/contract/text/usdText.ts"
import { countText, dollars, usd } from "./format.ts"
import type { KeyRecord } from "../src/admin/KeyRecord.ts"
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

export type Budget = KeyRecord["budgets"][number]

/** An amount in the unit of a budget: `$2.00`, `1,200 tokens`. */
const amountText = ({ tokens, usd: most }: Budget, of: number): string =>
  most === undefined ? `${of.toLocaleString("en")} ${tokens === undefined ? "requests" : "tokens"}` : usd(of)

/** The most of a budget, in its unit. */
export const limitOf = ({ requests, tokens, usd: most }: Budget): number => most ?? tokens ?? requests ?? 0

/** A budget with its use: `$2.00 of $50.00 a month`. */
export const budgetText = (budget: Budget): string => {
  const used = budget.usd === undefined ? budget.used.toLocaleString("en") : usd(budget.used)
  return `${used} of ${amountText(budget, limitOf(budget))} ${scopeText(budget)}`
}

/** The rest of a budget: `$48.00`. */
export const leftText = (budget: Budget): string => amountText(budget, Math.max(0, limitOf(budget) - budget.used))

/** The cost of a key's use, in dollars; null if it was not used. */
export const usedUsd = ({ cost, requests }: KeyRecord["usage"]["total"]): number | null =>
  requests === 0 && dollars(cost) === 0 ? null : dollars(cost)

/** `$1.20 in 30 d`, `free in 30 d`, `not used in 30 d`. */
export const usedText = (use: KeyRecord["usage"]["total"]): string => {
  const cost = usedUsd(use)
  return cost === null ? words.keys.unused : words.keys.spent(costText(cost))
}

/** True for a key that the session may make requests with: its own, or the account's. Those of people carry their name. */
export const mayActAs = (
  { role }: { readonly role?: Role | undefined },
  { has_secret, person, status }: KeyRecord
): boolean => status === "active" && ((role !== undefined && hasOwnKeysAlone(role)) || (person === null && has_secret))

/** The words in place of a secret's hint. */
export const secretless = ({ has_secret }: Pick<KeyRecord, "has_secret">): string =>
  has_secret ? words.keys.ownSecret : words.keys.noSecret

/** The kept part of a key's secret: `gw_…wxyz`; undefined for one that was chosen. */
export const secretText = ({ hint, hint_form }: Pick<KeyRecord, "hint" | "hint_form">): string | undefined =>
  hint === "" ? undefined : `gw_${hintShown({ text: hint, form: hint_form })}`
