import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { Money } from "../ledger/Money.ts"

/** An account's money. */
export const BalanceRecord = Schema.Struct({
  object: Schema.Literal("balance"),
  account: said(Schema.String, "Its account."),
  metered: said(Schema.Boolean, "False: spending is unlimited, and `granted` and `available` are null."),
  granted: said(Schema.NullOr(Money), "Everything the account was ever granted."),
  settled: said(Money, "Everything it has spent."),
  held: said(Money, "Held for requests and tasks under way."),
  available: said(
    Schema.NullOr(Money),
    "`granted - settled - held`: what a new request may cost. A smaller one is answered with 402."
  ),
  budget: said(
    Schema.NullOr(
      Schema.Struct({
        period: said(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: said(Money, "The key's budget for each period."),
        spent: said(Money, "Spent in the current period.")
      })
    ),
    "The calling key's only budget, if it is one of dollars for each UTC day or month; otherwise null, see `budgets`."
  ),
  budgets: said(Schema.Array(BudgetRecord), "The budgets of the calling key, with what was used."),
  account_budgets: said(Schema.Array(BudgetRecord), "The budgets of the account, over all its keys.")
}).annotations({ identifier: "Balance" })
