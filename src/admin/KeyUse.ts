import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import type { KeySums } from "../ledger/store/KeyUsage.ts"

const Used = Schema.Struct({
  requests: answerField(Schema.Int, "Answered requests; refused and failed ones are not counted."),
  cost: answerField(Money, "The amount settled.")
})

/** The use of a key, also without a budget. */
export const KeyUse = Schema.Struct({
  today: answerField(Used, "Since the UTC day began."),
  last_30_days: answerField(Used, "In this UTC day and the 29 before it."),
  total: answerField(Used, "Since the key was made.")
}).annotations({ identifier: "KeyUse" })
export type KeyUse = typeof KeyUse.Type

/** @param sums undefined for a key that was never used */
export const keyUse = (sums: KeySums | undefined): KeyUse => ({
  today: useOf(sums?.today),
  last_30_days: useOf(sums?.month),
  total: useOf(sums?.total)
})

const useOf = ({ nanoUsd, requests }: KeySums["today"] = { requests: 0, nanoUsd: 0 }) => ({
  requests,
  cost: money(nanoUsd)
})
