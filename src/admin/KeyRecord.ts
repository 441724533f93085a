import { Schema } from "effect"
import { hasSecret, keyBudgetsOf } from "../access/store/KeyRow.ts"
import type { KeyRow } from "../access/store/KeyRow.ts"
import { Unpriced } from "../contract/Caller.ts"
import { said } from "../contract/fields.ts"
import { BudgetRecord, budgetRecord, plainStanding } from "../ledger/BudgetRecord.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import { Money } from "../ledger/Money.ts"
import { KeyUse } from "./KeyUse.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord } from "./fields.ts"

const fields = {
  object: Schema.Literal("key"),
  id: said(Schema.String, "Its public id."),
  account: said(Schema.String, "Its account."),
  name: said(Schema.String, "Its name."),
  status: said(
    Schema.Literal("active", "suspended", "expired", "revoked"),
    "`active`: it works. `suspended`: it is refused for now, see `suspended_by`."
  ),
  suspended_by: said(
    Schema.NullOr(Schema.Literal("account", "person", "provider")),
    "Why it is suspended: its account is; its `person` has to sign in again, or was removed; or their sign-in provider has not answered for too long. null for any other status."
  ),
  has_secret: said(
    Schema.Boolean,
    "False for a key without a secret, which tokens of sign-ins or of an issuer open; it can't be rotated."
  ),
  hint: said(Schema.String, "Four characters of the secret, to tell keys apart; empty for a secret that you chose."),
  hint_form: said(
    Schema.Literal("end", "middle"),
    "The place of `hint`: `end` for the secret's last four characters; `middle`, for a key that an older version made, for the four before the last six."
  ),
  models: said(Schema.Array(Schema.String), "Patterns of the models it may use; `*` stands for any run of characters."),
  not_models: said(Schema.Array(Schema.String), "Patterns of models it may not use, even if `models` matches them."),
  upstreams: said(Schema.NullOr(Schema.Array(Schema.String)), "The upstreams that may serve it; null for all."),
  choose_route: said(Schema.Boolean, "True if its requests may choose their route with `x-gateway-route`."),
  unmatched_models: Schema.optional(Schema.Array(Schema.String)).annotations({
    description:
      "Those of `models` and `not_models` that match no model of the gateway, such as a misspelt one; absent if there are none."
  }),
  limits: said(LimitsRecord, "The key's own limits, beside the account's."),
  budget: said(
    Schema.NullOr(
      Schema.Struct({
        period: said(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: said(Money, "The budget of each period."),
        spent: said(Money, "Spent in the current period.")
      })
    ),
    "The key's only budget, if it is one of dollars for each UTC day or month; otherwise null, see `budgets`."
  ),
  budgets: said(Schema.Array(BudgetRecord), "All of its budgets, with what was used."),
  unpriced: said(
    Schema.NullOr(Unpriced),
    "Use of models without a price while its money is counted: `allow` or `refuse`; null for the account's setting."
  ),
  person: said(
    Schema.NullOr(Schema.String),
    "The id of the person whose key it is (`person_…`); null for the account's."
  ),
  declared: said(Schema.Boolean, "True for a key of the configuration file, which is changed there."),
  version: said(Schema.Int, "The version of the record. A change that names another version is refused."),
  created_at: said(Schema.String, "ISO 8601, UTC."),
  expires_at: said(Schema.NullOr(Schema.String), "When the key expires."),
  last_used_at: said(Schema.NullOr(Schema.String), "To the minute."),
  revoked_at: said(Schema.NullOr(Schema.String), "When the key was revoked.")
} as const

/** The operator's view of a key: everything but its secret. */
export const KeyRecord = Schema.Struct({
  ...fields,
  usage: said(KeyUse, "What it has used.")
}).annotations({ identifier: "Key" })
export type KeyRecord = typeof KeyRecord.Type

/** A key's state without its usage: in the audit log, and in the 409 of a change based on an older version. */
export const KeyState = Schema.Struct(fields)
export type KeyState = typeof KeyState.Type

export const keyState = (row: KeyRow, budgets: ReadonlyArray<BudgetStanding>, nowMs: number): KeyState => ({
  object: "key",
  id: row.id,
  account: row.account_id,
  name: row.name,
  ...statusOf(row, nowMs),
  has_secret: hasSecret(row),
  hint: row.hint,
  hint_form: row.hint_form,
  models: row.models,
  not_models: row.not_models ?? [],
  upstreams: row.upstreams,
  choose_route: row.choose_route === 1,
  limits: limitsRecord(row.limits),
  budget: plainStanding(budgets),
  budgets: budgets.map(budgetRecord),
  unpriced: row.unpriced,
  person: row.person_id,
  declared: row.declared === "here",
  version: versionOf([
    row.name,
    row.models,
    row.limits,
    keyBudgetsOf(row),
    row.unpriced,
    row.expires_at,
    row.revoked_at,
    row.declared,
    row.not_models,
    row.upstreams,
    row.choose_route
  ]),
  created_at: isoTime(row.created_at),
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
  revoked_at: isoOrNull(row.revoked_at)
})

const statusOf = (row: KeyRow, nowMs: number): Pick<KeyRecord, "status" | "suspended_by"> => {
  if (row.revoked_at !== null) return { status: "revoked", suspended_by: null }
  if (row.expires_at !== null && row.expires_at <= nowMs) return { status: "expired", suspended_by: null }
  if (row.suspended_at !== null) return { status: "suspended", suspended_by: "account" }
  if (row.person_held === null) return { status: "active", suspended_by: null }
  return { status: "suspended", suspended_by: row.person_held === "away" ? "provider" : "person" }
}
