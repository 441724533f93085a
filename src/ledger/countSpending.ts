import type { AccountId } from "../contract/callers/Caller.ts"
import type { Metrics } from "../telemetry/Metrics.ts"

/** A charge, with its account and key. */
interface Spent {
  readonly account: AccountId
  readonly model: string
  readonly upstream: string
  readonly costNanoUsd: number
}
export type Spending = (spent: Spent) => void

/** Counts charges by account and model. The ledger is authoritative: a counter can't be corrected downwards. */
export const countSpending =
  (metrics: Metrics): Spending =>
  ({ account, costNanoUsd, model, upstream }) => {
    if (costNanoUsd <= 0) return
    const usd = costNanoUsd / 1e9
    metrics.accountCost.of(account).add(usd)
    metrics.modelCost.of(model, upstream).add(usd)
  }
