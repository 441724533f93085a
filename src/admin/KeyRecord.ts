import { Schema, Struct } from "effect"
import { hasSecret, keyBudgetsOf } from "../access/store/KeyRow.ts"
import type { KeyRow } from "../access/store/KeyRow.ts"
import { storedKeySettings } from "../access/store/settingColumns.ts"
import { eachKeySetting, keySettingNames } from "../contract/callers/keySettings.ts"
import { Unpriced } from "../contract/callers/Caller.ts"
import { answerField } from "../contract/fields.ts"
import { BudgetRecord, budgetRecord, plainStanding } from "../ledger/BudgetRecord.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import { Money } from "../ledger/Money.ts"
import { KeyUse } from "./KeyUse.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord, settingAnswers } from "./fields.ts"

const fields = {
  object: Schema.Literal("key"),
  id: answerField(Schema.String, "Its public id."),
  account: answerField(Schema.String, "Its account."),
  name: answerField(Schema.String, "Its name."),
  status: answerField(
    Schema.Literal("active", "suspended", "expired", "revoked"),
    "`active`: it works. `suspended`: it is refused for now, see `suspended_by`."
  ),
  suspended_by: answerField(
    Schema.NullOr(Schema.Literal("account", "person", "provider")),
    "Why it is suspended: its account is; its `person` has to sign in again, or was removed; or their sign-in provider has not answered for too long. null for any other status."
  ),
  has_secret: answerField(
    Schema.Boolean,
    "False for a key without a secret, which tokens of sign-ins or of an issuer open; it can't be rotated."
  ),
  hint: answerField(
    Schema.String,
    "Four characters of the secret, to tell keys apart; empty for a secret that you chose."
  ),
  hint_form: answerField(
    Schema.Literal("end", "middle"),
    "The place of `hint`: `end` for the secret's last four characters; `middle`, for a key that an older version made, for the four before the last six."
  ),
  old_secret_until: Schema.optional(
    answerField(Schema.String, "Until when the secret before the last rotation works too; absent if it does not.")
  ),
  models: answerField(
    Schema.Array(Schema.String),
    "Patterns of the models it may use; `*` stands for any run of characters."
  ),
  not_models: answerField(
    Schema.Array(Schema.String),
    "Patterns of models it may not use, even if `models` matches them."
  ),
  upstreams: answerField(Schema.NullOr(Schema.Array(Schema.String)), "The upstreams that may serve it; null for all."),
  ...eachKeySetting(settingAnswers),
  unmatched_models: Schema.optional(Schema.Array(Schema.String)).annotations({
    description:
      "Those of `models` and `not_models` that match no model of the gateway, such as a misspelt one; absent if there are none."
  }),
  limits: answerField(LimitsRecord, "The key's own limits, beside the account's."),
  budget: answerField(
    Schema.NullOr(
      Schema.Struct({
        period: answerField(Schema.Literal("day", "month"), "The UTC day or month."),
        limit: answerField(Money, "The budget of each period."),
        spent: answerField(Money, "Spent in the current period.")
      })
    ),
    "The key's only budget, if it is one of dollars for each UTC day or month; otherwise null, see `budgets`."
  ),
  budgets: answerField(Schema.Array(BudgetRecord), "All of its budgets, with what was used."),
  unpriced: answerField(
    Schema.NullOr(Unpriced),
    "Use of models without a price while its money is counted: `allow` or `refuse`; null for the account's setting."
  ),
  person: answerField(
    Schema.NullOr(Schema.String),
    "The id of the person whose key it is (`person_…`); null for the account's."
  ),
  declared: answerField(Schema.Boolean, "True for a key of the configuration file, which is changed there."),
  version: answerField(Schema.Int, "The version of the record. A change that names another version is refused."),
  created_at: answerField(Schema.String, "ISO 8601, UTC."),
  expires_at: answerField(Schema.NullOr(Schema.String), "When the key expires."),
  last_used_at: answerField(Schema.NullOr(Schema.String), "To the minute."),
  revoked_at: answerField(Schema.NullOr(Schema.String), "When the key was revoked.")
} as const

/** The operator's view of a key: everything but its secret. */
export const KeyRecord = Schema.Struct({
  ...fields,
  usage: answerField(KeyUse, "What it has used.")
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
  ...oldSecretOf(row, nowMs),
  models: row.models,
  not_models: row.not_models ?? [],
  upstreams: row.upstreams,
  ...Struct.pick(row, ...keySettingNames),
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
    ...Object.values(storedKeySettings(row))
  ]),
  created_at: isoTime(row.created_at),
  expires_at: isoOrNull(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
  revoked_at: isoOrNull(row.revoked_at)
})

const oldSecretOf = (
  { expires_at, old_until, revoked_at }: KeyRow,
  nowMs: number
): Pick<KeyRecord, "old_secret_until"> => {
  // Not longer than the key itself.
  const untilMs = old_until === null || revoked_at !== null ? 0 : Math.min(old_until, expires_at ?? Infinity)
  return untilMs <= nowMs ? {} : { old_secret_until: isoTime(untilMs) }
}

const statusOf = (row: KeyRow, nowMs: number): Pick<KeyRecord, "status" | "suspended_by"> => {
  if (row.revoked_at !== null) return { status: "revoked", suspended_by: null }
  if (row.expires_at !== null && row.expires_at <= nowMs) return { status: "expired", suspended_by: null }
  if (row.suspended_at !== null) return { status: "suspended", suspended_by: "account" }
  if (row.person_held === null) return { status: "active", suspended_by: null }
  return { status: "suspended", suspended_by: row.person_held === "away" ? "provider" : "person" }
}
