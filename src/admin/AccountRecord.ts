import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { Money, money } from "../ledger/Money.ts"
import { isoTime, LimitsRecord, limitsRecord } from "./fields.ts"
import { parseLimits } from "./KeyRecord.ts"

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
  search_domains: said(
    Schema.Struct({
      allowed: said(Schema.NullOr(Schema.Array(Schema.String)), "Web searches find these domains alone; null: any."),
      blocked: said(Schema.NullOr(Schema.Array(Schema.String)), "Web searches never find these; null: none.")
    }),
    "What web searches of the account may find."
  ),
  keys: said(Schema.Int, "Keys that are not revoked."),
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

/** A row of `accounts`, with what its tasks hold and how many keys it has. */
export interface AccountRow {
  readonly id: string
  readonly granted_nano_usd: number | null
  readonly settled_nano_usd: number
  readonly held: number
  readonly limits: string
  readonly search_allowed: string | null
  readonly search_blocked: string | null
  readonly keys: number
  readonly created_at: number
}

const parseDomains = Schema.decodeUnknownSync(Schema.parseJson(Schema.Array(Schema.String)))
const domains = (text: string | null) => (text === null ? null : parseDomains(text))

export const accountRecord = (row: AccountRow): AccountRecord => ({
  object: "account",
  id: row.id,
  metered: row.granted_nano_usd !== null,
  granted: row.granted_nano_usd === null ? null : money(row.granted_nano_usd),
  settled: money(row.settled_nano_usd),
  held: money(row.held),
  available: row.granted_nano_usd === null ? null : money(row.granted_nano_usd - row.settled_nano_usd - row.held),
  limits: limitsRecord(parseLimits(row.limits)),
  search_domains: { allowed: domains(row.search_allowed), blocked: domains(row.search_blocked) },
  keys: row.keys,
  created_at: isoTime(row.created_at)
})
