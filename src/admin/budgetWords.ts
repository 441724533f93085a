import { showUsd } from "../contract/showUsd.ts"
import { lengthText } from "../contract/WrittenBudget.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import type { StandingBalance } from "../ledger/store/BalanceStanding.ts"

const hourMs = 3_600_000

/** `team-a has $4.10 left of its last credit of $20.00: about 5 h at today's rate`. */
export const balanceWords = ({ account, creditNanoUsd, hoursLeft, leftNanoUsd }: StandingBalance): string => {
  if (leftNanoUsd <= 0) return `${account} has spent its balance: its requests are refused`
  const rate = hoursLeft === undefined ? "" : `: ${spanWords(hoursLeft)} at today's rate`
  return `${account} has $${showUsd(leftNanoUsd)} left of its last credit of $${showUsd(creditNanoUsd)}${rate}`
}

/** `team-a has used 82 % of its budget of $20.00 per day: about 3 h at its rate so far`. */
export const budgetWords = (standing: BudgetStanding, nowMs: number): string => {
  const { beganAtMs, meter, ratio, used } = standing
  const { limit, unit, window } = meter.budget
  const amount = unit === "usd" ? `$${showUsd(limit)}` : `${limit.toLocaleString("en")} ${unit}`
  const span =
    "rollingMs" in window ? `in ${lengthText(window.rollingMs)}` : window.per === "total" ? "" : `per ${window.per}`
  const owner = meter.key ?? meter.account
  const budget = `its budget of ${[amount, span].filter((part) => part !== "").join(" ")}`
  if (ratio >= 1) return `${owner} has used up ${budget}`
  const elapsedHours = beganAtMs === undefined ? 0 : (nowMs - beganAtMs) / hourMs
  const rate =
    elapsedHours > 0 && used > 0 ? `: ${spanWords(((limit - used) * elapsedHours) / used)} at its rate so far` : ""
  return `${owner} has used ${Math.floor(ratio * 100)} % of ${budget}${rate}`
}

const spanWords = (hours: number): string => {
  if (hours < 1) return "less than an hour"
  return hours < 48 ? `about ${Math.round(hours)} h` : `about ${Math.round(hours / 24)} days`
}
