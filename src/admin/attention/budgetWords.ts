import { usdText } from "../../contract/text/usdText.ts"
import { lengthText } from "../../contract/budgets/WrittenBudget.ts"
import type { NamedStanding } from "../../access/store/Budgets.ts"
import type { BudgetStanding } from "../../ledger/store/BudgetReport.ts"
import type { StandingBalance } from "../../ledger/store/BalanceStanding.ts"
import { utcText } from "./Problem.ts"

/** A sentence, and the time in Unix ms at which the money is used up at the present pace, if that is known. */
interface Outlook {
  readonly message: string
  readonly dueAtMs: number | undefined
}

/** `team-a has $4.10 left of its last credit of $20.00: used up about 2026-01-31 12:00 UTC at today's rate`. */
export const balanceOutlook = (
  { account, creditNanoUsd, hoursLeft, leftNanoUsd }: StandingBalance,
  nowMs: number
): Outlook => {
  if (leftNanoUsd <= 0) {
    return { message: `${account} has spent its balance: its requests are refused`, dueAtMs: undefined }
  }
  const left = `${account} has ${usdText(leftNanoUsd / 1e9)} left of its last credit of ${usdText(creditNanoUsd / 1e9)}`
  if (hoursLeft === undefined) return { message: left, dueAtMs: undefined }
  const { dueAtMs, words } = usedUp(hoursLeft * hourMs, nowMs)
  return { message: `${left}: ${words} at today's rate`, dueAtMs }
}

/**
 * `team-a has used 82 % of its budget of $20.00 per day: used up about 2026-01-31 12:00 UTC at its rate so far; it begins
 * again 2026-02-01 00:00 UTC`. The pace of a rolling window says nothing of its end: what is used leaves it again.
 */
export const budgetOutlook = (standing: NamedStanding, nowMs: number): Outlook => {
  const { beganAtMs, endsAtMs, meter, ratio, used } = standing
  const { limit, window } = meter.budget
  const again =
    endsAtMs !== undefined
      ? `begins again ${utcText(endsAtMs)}`
      : "rollingMs" in window
        ? `counts the last ${lengthText(window.rollingMs)}`
        : "never begins again"
  const budget = budgetText(standing)
  if (ratio >= 1) return { message: `${ownerText(standing)} has used up ${budget}, which ${again}`, dueAtMs: undefined }
  const share = `${ownerText(standing)} has used ${Math.floor(ratio * 100)} % of ${budget}`
  const elapsedMs = beganAtMs === undefined || "rollingMs" in window ? 0 : nowMs - beganAtMs
  if (elapsedMs <= 0 || used <= 0) return { message: `${share}, which ${again}`, dueAtMs: undefined }
  const leftMs = ((limit - used) * elapsedMs) / used
  if (endsAtMs !== undefined && nowMs + leftMs >= endsAtMs) {
    return { message: `${share}: at its rate so far it lasts until it ${again}`, dueAtMs: undefined }
  }
  const { dueAtMs, words } = usedUp(leftMs, nowMs)
  return { message: `${share}: ${words} at its rate so far; it ${again}`, dueAtMs }
}

const ownerText = ({ counters, keyName, meter }: NamedStanding): string => {
  const owner = keyName === undefined ? meter.account : `key ${keyName} of ${meter.account}`
  const { each, tag } = meter.budget
  if (counters === undefined) return owner
  return each === undefined ? `a tag (${tag}) of ${owner}` : `an end user of ${owner}`
}

const budgetText = ({ meter }: BudgetStanding): string => {
  const { limit, models, tag, unit, window } = meter.budget
  const amount = unit === "usd" ? usdText(limit / 1e9) : `${limit.toLocaleString("en")} ${unit}`
  const span =
    "rollingMs" in window ? [`in ${lengthText(window.rollingMs)}`] : window.per === "total" ? [] : [`per ${window.per}`]
  const only = [...(models ?? []), ...(tag === undefined || tag.includes("*") ? [] : [tag])]
  return ["its budget of", amount, ...span, ...(only.length === 0 ? [] : [`for ${only.join(", ")}`])].join(" ")
}

/** @param leftMs until it is used up at the present pace */
const usedUp = (leftMs: number, nowMs: number) => {
  if (leftMs > yearMs) return { words: "lasts more than a year", dueAtMs: undefined }
  const dueAtMs = Math.round(nowMs + leftMs)
  return { words: leftMs < hourMs ? "used up within the hour" : `used up about ${utcText(dueAtMs)}`, dueAtMs }
}

const hourMs = 3_600_000
const yearMs = 365 * 24 * hourMs
