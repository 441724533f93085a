import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { Money } from "../ledger/Money.ts"

/** An account's money. */
export const BalanceRecord = Schema.Struct({
  object: Schema.Literal("balance"),
  account: said(Schema.String, "Whose it is."),
  metered: said(Schema.Boolean, "False: the account may spend without end, and `granted` and `available` are null."),
  granted: said(Schema.NullOr(Money), "All that the account was ever given."),
  settled: said(Money, "All that it has used."),
  held: said(Money, "Set aside for requests and tasks that are under way."),
  available: said(
    Schema.NullOr(Money),
    "`granted - settled - held`: what a new request may cost. A smaller one is answered with 402."
  ),
  budget: said(
    Schema.NullOr(
      Schema.Struct({
        period: said(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: said(Money, "What the key may spend in each."),
        spent: said(Money, "What it has spent in this one.")
      })
    ),
    "The own budget of the key that asks; null without one."
  )
}).annotations({ identifier: "Balance" })
