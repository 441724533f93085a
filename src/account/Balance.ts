import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { available } from "../ledger/Balances.ts"
import { budgetRecord, plainStanding } from "../ledger/BudgetRecord.ts"
import { metersOf } from "../ledger/budgets/meters.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { money } from "../ledger/Money.ts"
import { BudgetReport } from "../ledger/store/BudgetReport.ts"

/** The balance of a caller's account, and what is left of its budgets and of its key's. */
export const makeBalance = Effect.map(
  Effect.all([Ledger, BudgetReport]),
  ([ledger, budgets]) =>
    (caller: Caller) =>
      Effect.gen(function* () {
        const balance = yield* ledger.balance(caller.account)
        const standings = yield* Effect.orDie(budgets.standing(metersOf(caller)))
        const own = standings.filter(({ meter }) => meter.key !== undefined)
        const left = available(balance)
        return {
          object: "balance" as const,
          account: caller.account,
          metered: balance.granted !== undefined,
          granted: balance.granted === undefined ? null : money(balance.granted),
          settled: money(balance.settled),
          held: money(balance.held),
          available: left === undefined ? null : money(left),
          budget: plainStanding(own),
          budgets: own.map(budgetRecord),
          account_budgets: standings.filter(({ meter }) => meter.key === undefined).map(budgetRecord)
        }
      })
)
