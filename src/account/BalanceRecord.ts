import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { BudgetRecord } from "../ledger/BudgetRecord.ts"
import { Money } from "../ledger/Money.ts"

/** An account's money. */
export const BalanceRecord = Schema.Struct({
  object: Schema.Literal("balance"),
  account: answerField(Schema.String, "Its account."),
  metered: answerField(Schema.Boolean, "False: spending is unlimited, and `granted` and `available` are null."),
  granted: answerField(Schema.NullOr(Money), "Everything the account was ever granted."),
  settled: answerField(Money, "Everything it has spent."),
  held: answerField(Money, "Held for requests and tasks under way."),
  available: answerField(
    Schema.NullOr(Money),
    "`granted - settled - held`: what a new request may cost. A smaller one is answered with 402."
  ),
  budget: answerField(
    Schema.NullOr(
      Schema.Struct({
        period: answerField(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: answerField(Money, "The key's budget for each period."),
        spent: answerField(Money, "Spent in the current period.")
      })
    ),
    "The calling key's only budget, if it is one of dollars for each UTC day or month; otherwise null, see `budgets`."
  ),
  budgets: answerField(Schema.Array(BudgetRecord), "The budgets of the calling key, with what was used."),
  account_budgets: answerField(Schema.Array(BudgetRecord), "The budgets of the account, over all its keys.")
}).annotations({ identifier: "Balance" })
