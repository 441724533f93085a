import { Schema } from "effect"
import type { AccountRow } from "../access/store/Accounts.ts"
import { Unpriced } from "../contract/Caller.ts"
import { said } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord } from "./fields.ts"

/** An account as those who run the gateway see it. */
export const AccountRecord = Schema.Struct({
  object: Schema.Literal("account"),
  id: said(Schema.String, "Its id."),
  metered: said(Schema.Boolean, "False: it may spend without end, and `granted` and `available` are null."),
  granted: said(Schema.NullOr(Money), "All that it was ever given."),
  settled: said(Money, "All that it has used."),
  held: said(Money, "Set aside for unfinished tasks; requests that are being answered right now may hold more."),
  available: said(Schema.NullOr(Money), "`granted - settled - held`."),
  limits: said(LimitsRecord, "Its limits, over all its keys."),
  hold_output_tokens: said(
    Schema.NullOr(Schema.Int),
    "Output tokens that money is set aside for at most where a request may write more; null for what its model says."
  ),
  search_domains: said(
    Schema.Struct({
      allowed: said(Schema.NullOr(Schema.Array(Schema.String)), "Web searches find these domains alone; null: any."),
      blocked: said(Schema.NullOr(Schema.Array(Schema.String)), "Web searches never find these; null: none.")
    }),
    "What web searches of the account may find."
  ),
  unpriced: said(
    Schema.NullOr(Unpriced),
    "Whether its keys may use models without a price although it has a balance; null for what the configuration says."
  ),
  keys: said(Schema.Int, "Keys that are not revoked."),
  suspended_at: said(Schema.NullOr(Schema.String), "Since when its keys open nothing; null where they do."),
  version: said(Schema.Int, "Of what can be changed: a change that names another one is refused."),
  created_at: said(Schema.String, "ISO 8601, UTC.")
}).annotations({ identifier: "Account" })
export type AccountRecord = typeof AccountRecord.Type

/** One amount that an account was given, or that was taken from it. */
export const GrantRecord = Schema.Struct({
  time: said(Schema.String, "When (ISO 8601, UTC)."),
  amount: said(Money, "Negative where it was taken."),
  note: said(Schema.String, "What for.")
}).annotations({ identifier: "Grant" })
export type GrantRecord = typeof GrantRecord.Type

export const accountRecord = (row: AccountRow): AccountRecord => ({
  object: "account",
  id: row.id,
  metered: row.granted_nano_usd !== null,
  granted: row.granted_nano_usd === null ? null : money(row.granted_nano_usd),
  settled: money(row.settled_nano_usd),
  held: money(row.held),
  available: row.granted_nano_usd === null ? null : money(row.granted_nano_usd - row.settled_nano_usd - row.held),
  limits: limitsRecord(row.limits),
  search_domains: { allowed: row.search_allowed, blocked: row.search_blocked },
  unpriced: row.declared_unpriced ?? row.unpriced,
  hold_output_tokens: row.declared_hold_output_tokens ?? row.hold_output_tokens,
  keys: row.keys,
  suspended_at: isoOrNull(row.suspended_at),
  version: versionOf([
    row.granted_nano_usd === null,
    row.suspended_at,
    row.limits,
    row.search_allowed,
    row.search_blocked,
    row.declared_unpriced ?? row.unpriced,
    row.declared_hold_output_tokens ?? row.hold_output_tokens
  ]),
  created_at: isoTime(row.created_at)
})
