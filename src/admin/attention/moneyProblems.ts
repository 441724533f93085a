import { Effect } from "effect"
import { Budgets } from "../../access/store/Budgets.ts"
import { Configuration } from "../../config/Configuration.ts"
import { usualShares } from "../../config/sections/Alerts.ts"
import { BalanceStanding } from "../../ledger/store/BalanceStanding.ts"
import { balanceOutlook, budgetOutlook } from "./budgetWords.ts"
import { problem } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

/** Balances and budgets that have used a share of `budget_at`, each with the highest that it has reached. */
export const makeMoneyProblems = Effect.gen(function* () {
  const balances = yield* BalanceStanding
  const budgets = yield* Budgets
  const configuration = yield* Configuration
  const sharesNow = () =>
    (configuration.current().value.alerts?.budget_at ?? usualShares).toSorted((one, other) => other - one)

  const ofBudgets = (nowMs: number) =>
    Effect.map(budgets.standing, (rows) => {
      const shares = sharesNow()
      return rows.flatMap((standing): ReadonlyArray<Problem> => {
        const { beganAtMs = 0, meter, ratio } = standing
        const share = shares.find((one) => ratio >= one)
        if (share === undefined) return []
        const { account, budget, id, key } = meter
        const window = "rollingMs" in budget.window ? 0 : beganAtMs
        const stateOf = (share: number) => `${id} ${share} ${window}`
        const command = key === undefined ? `gateway accounts set ${account}` : `gateway keys update ${key}`
        return [
          problem({
            what: key === undefined ? "account" : "key",
            id: key ?? account,
            ...budgetOutlook(standing, nowMs),
            action: `Raise the budget (\`${command} --budgets …\`), or let it run out: its requests are refused then.`,
            page: key === undefined ? `accounts/${account}` : `keys/${key}`,
            state: stateOf(share),
            lesser: shares.filter((other) => other < share).map(stateOf)
          })
        ]
      })
    })

  const ofBalances = (nowMs: number) =>
    Effect.map(balances.all, (rows) => {
      const shares = sharesNow()
      return rows.flatMap((balance): ReadonlyArray<Problem> => {
        const { account, leftNanoUsd, usedShare } = balance
        const share = leftNanoUsd <= 0 ? 1 : shares.find((share) => usedShare >= share)
        if (share === undefined) return []
        return [
          problem({
            what: "account",
            id: account,
            ...balanceOutlook(balance, nowMs),
            action: `Add credit: \`gateway accounts credit ${account} USD\`.`,
            page: `accounts/${account}`,
            state: `${share}`,
            lesser: shares.filter((other) => other < share).map(String)
          })
        ]
      })
    })

  return (nowMs: number) => Effect.zipWith(ofBalances(nowMs), ofBudgets(nowMs), (some, others) => [...some, ...others])
})
