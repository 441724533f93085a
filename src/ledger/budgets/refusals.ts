import type { Budget } from "../../contract/budgets/Budget.ts"
import { QuotaExceeded, RateLimited } from "../../contract/failures/Failure.ts"
import { spendingPeriods } from "../../contract/callers/SpendingCap.ts"
import { showUsd } from "../../contract/text/showUsd.ts"
import { lengthText } from "../../contract/budgets/WrittenBudget.ts"
import type { Claim } from "./claims.ts"
import { other } from "./claims.ts"
import { never } from "./windows.ts"

/** A budget that does not cover a claim. */
export interface Short {
  readonly claim: Claim
  /** The rest of the budget; below 0 if more was used. */
  readonly left: number
  /** The oldest step of the window in which something was used; undefined if unknown. */
  readonly oldest: number | undefined
}

const dayMs = 86_400_000

/** @param because the reason for the amount, for dollars */
export const overBudget = (
  { claim, left, oldest }: Short,
  nowMs: number,
  because: (() => string) | undefined
): QuotaExceeded | RateLimited => {
  const { amount, meter, place } = claim
  const { limit, unit, window } = meter.budget
  const name = nameOf(claim)
  const atMs = "rollingMs" in window && oldest !== undefined ? oldest + (place.endsAt - place.step) : place.next
  const again =
    atMs === never
      ? "it does not begin again"
      : "rollingMs" in window
        ? `the oldest use leaves its window at ${shown(atMs)}`
        : `it begins again at ${shown(atMs)}`
  const use =
    unit === "usd"
      ? `the request may cost ${amountShown(amount, unit)}${because === undefined ? "" : `, held ${because()}`}`
      : `the request may use ${amountShown(amount, unit)}`
  const message =
    left <= 0
      ? `The ${name} is used up; ${again}`
      : `The ${name} has ${amountShown(left, unit)} left, and ${use}; ${again}`
  if (unit === "usd") return new QuotaExceeded({ message, ...resetOf(window, atMs) })
  const waitMs = atMs - nowMs
  const isSoon = amount <= limit && waitMs > 0 && waitMs <= dayMs
  return new RateLimited({ message, retryAfterSeconds: isSoon ? waitMs / 1_000 : null })
}

const resetOf = (window: Budget["window"], atMs: number): Pick<QuotaExceeded, "resetsAtMs" | "period"> =>
  "rollingMs" in window || window.per === "total" ? {} : { resetsAtMs: atMs, period: spendingPeriods[window.per] }

/** `daily budget of this API key ($5.00)`. */
const nameOf = ({ meter, subject }: Claim): string => {
  const { budget, who } = meter
  const { limit, models, tag, unit, window } = budget
  const of =
    subject === other
      ? "the tags and end users beyond the first of this account"
      : budget.each === "end_user" && meter.countsEndUsers
        ? `each end user of ${who}`
        : who
  const filters = [
    ...(models === undefined ? [] : [` for ${models.join(", ")}`]),
    ...(tag === undefined ? [] : [` for the tag ${tag}`])
  ].join("")
  return `${adjectiveOf(window)}budget of ${of}${filters} (${amountShown(limit, unit)}${spanShown(window)})`
}

const adjectives = { day: "daily ", week: "weekly ", month: "monthly ", total: "total " } as const

const adjectiveOf = (window: Budget["window"]): string => ("rollingMs" in window ? "" : adjectives[window.per])

const spanShown = (window: Budget["window"]): string =>
  "rollingMs" in window ? ` in ${lengthText(window.rollingMs)}` : ""

const amountShown = (amount: number, unit: Budget["unit"]): string =>
  unit === "usd" ? `$${showUsd(amount)}` : `${amount.toLocaleString("en")} ${amount === 1 ? unit.slice(0, -1) : unit}`

const shown = (ms: number): string => new Date(ms).toISOString().replace(".000", "")
