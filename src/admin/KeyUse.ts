import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import type { KeySums } from "../ledger/store/KeyUsage.ts"

const Used = Schema.Struct({
  requests: said(Schema.Int, "Answered requests; refused and failed ones are not counted."),
  cost: said(Money, "The amount settled.")
})

/** The use of a key, also without a budget. */
export const KeyUse = Schema.Struct({
  today: said(Used, "Since the UTC day began."),
  last_30_days: said(Used, "In this UTC day and the 29 before it."),
  total: said(Used, "Since the key was made.")
}).annotations({ identifier: "KeyUse" })
export type KeyUse = typeof KeyUse.Type

/** @param sums undefined for a key that was never used */
export const keyUse = (sums: KeySums | undefined): KeyUse => ({
  today: { requests: sums?.today ?? 0, cost: money(sums?.today_cost ?? 0) },
  last_30_days: { requests: sums?.month ?? 0, cost: money(sums?.month_cost ?? 0) },
  total: { requests: sums?.requests ?? 0, cost: money(sums?.cost ?? 0) }
})
