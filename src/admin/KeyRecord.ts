import { Schema } from "effect"
import { budgetOf } from "../access/store/KeyRow.ts"
import type { SpendingKey } from "../access/store/KeyRow.ts"
import { Unpriced } from "../contract/Caller.ts"
import { said } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord } from "./fields.ts"

/** A key as those who run the gateway see it: everything but its secret. */
export const KeyRecord = Schema.Struct({
  object: Schema.Literal("key"),
  id: said(Schema.String, "Its public id."),
  account: said(Schema.String, "Whose it is."),
  name: said(Schema.String, "What it is called."),
  status: said(Schema.Literal("active", "expired", "revoked"), "Whether it opens anything."),
  hint: said(
    Schema.String,
    "Four characters of the secret, to tell one's keys apart; empty for a secret of one's own."
  ),
  models: said(Schema.Array(Schema.String), "Patterns of the models it may use; `*` stands for any run of characters."),
  limits: said(LimitsRecord, "Its own limits, beside those of its account."),
  budget: said(
    Schema.NullOr(
      Schema.Struct({
        period: said(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: said(Money, "What it may spend in each."),
        spent: said(Money, "What it has spent in this one.")
      })
    ),
    "Its own budget; null without one."
  ),
  unpriced: said(
    Schema.NullOr(Unpriced),
    "Whether it may use models without a price although its money is counted; null for what its account says."
  ),
  declared: said(Schema.Boolean, "Whether it is a key of the configuration file, to be changed there."),
  version: said(Schema.Int, "Of what can be changed: a change that names another one is refused."),
  created_at: said(Schema.String, "ISO 8601, UTC."),
  expires_at: said(Schema.NullOr(Schema.String), "From then on it opens nothing."),
  last_used_at: said(Schema.NullOr(Schema.String), "To the minute."),
  revoked_at: said(Schema.NullOr(Schema.String), "Since when it opens nothing.")
}).annotations({ identifier: "Key" })
export type KeyRecord = typeof KeyRecord.Type

export const keyRecord = (row: SpendingKey, nowMs: number): KeyRecord => ({
  object: "key",
  id: row.id,
  account: row.account_id,
  name: row.name,
  status: statusOf(row, nowMs),
  hint: row.hint,
  models: row.models,
  limits: limitsRecord(row.limits),
  budget: spentBudget(row),
  unpriced: row.unpriced,
  declared: row.declared === "here",
  version: versionOf([
    row.name,
    row.models,
    row.limits,
    budgetOf(row),
    row.unpriced,
    row.expires_at,
    row.revoked_at,
    row.declared
  ]),
  created_at: isoTime(row.created_at),
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
  revoked_at: isoOrNull(row.revoked_at)
})

const spentBudget = (row: SpendingKey): KeyRecord["budget"] => {
  const budget = budgetOf(row)
  if (budget === undefined) return null
  const { nanoUsd, period } = budget
  return { period, limit: money(nanoUsd), spent: money(period === "day" ? row.spent_day : row.spent_month) }
}

const statusOf = (row: SpendingKey, nowMs: number): KeyRecord["status"] => {
  if (row.revoked_at !== null) return "revoked"
  return row.expires_at !== null && row.expires_at <= nowMs ? "expired" : "active"
}
