import { Schema, Struct } from "effect"
import { accountBudgetsOf } from "../access/store/accountBudgetsOf.ts"
import type { AccountRow } from "../access/store/Accounts.ts"
import { declaredName, eachSetting, settingNames, settingsInEffect } from "../contract/callers/accountSettings.ts"
import type { AccountSetting } from "../contract/callers/accountSettings.ts"
import { Unpriced } from "../contract/callers/Caller.ts"
import { recordOf } from "../contract/json/recordOf.ts"
import { answerField } from "../contract/fields.ts"
import { BudgetRecord, budgetRecord } from "../ledger/BudgetRecord.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import { Money, money } from "../ledger/Money.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord, settingAnswers } from "./fields.ts"

const Declared = Schema.Literal("models", "not_models", "budgets", "unpriced", ...settingNames)

/** The operator's view of an account. */
export const AccountRecord = Schema.Struct({
  object: Schema.Literal("account"),
  id: answerField(Schema.String, "Its id."),
  metered: answerField(Schema.Boolean, "False: spending is unlimited, and `granted` and `available` are null."),
  granted: answerField(Schema.NullOr(Money), "Everything it was ever granted."),
  settled: answerField(Money, "Everything it has spent."),
  held: answerField(Money, "Held for unfinished tasks; requests being answered may hold more."),
  available: answerField(Schema.NullOr(Money), "`granted - settled - held`."),
  models: answerField(
    Schema.Array(Schema.String),
    "Patterns of the only models that its keys may use; `*` stands for any run of characters."
  ),
  not_models: answerField(Schema.Array(Schema.String), "Patterns of models that none of its keys may use."),
  unmatched_models: Schema.optional(Schema.Array(Schema.String)).annotations({
    description: "Those of `models` and `not_models` that match no model of the gateway; absent if there are none."
  }),
  limits: answerField(LimitsRecord, "Its limits, over all its keys."),
  budgets: answerField(Schema.Array(BudgetRecord), "Its budgets, over all its keys, with what was used."),
  ...eachSetting(settingAnswers),
  search_domains: answerField(
    Schema.Struct({
      allowed: answerField(
        Schema.NullOr(Schema.Array(Schema.String)),
        "The only domains that web searches find; null for all."
      ),
      blocked: answerField(
        Schema.NullOr(Schema.Array(Schema.String)),
        "Domains that web searches never find; null for none."
      )
    }),
    "Domains that the account's web searches may find."
  ),
  unpriced: answerField(
    Schema.NullOr(Unpriced),
    "Use of models without a price while it has a balance: `allow` or `refuse`; null for the configuration's setting."
  ),
  webhook_url: answerField(
    Schema.NullOr(Schema.String),
    "Gets `video.completed` and `video.failed` of its video tasks; null for none."
  ),
  declared: answerField(
    Schema.Array(Declared),
    "The settings that stand in the configuration file, which is where they are changed."
  ),
  keys: answerField(Schema.Int, "Keys that have not been revoked."),
  suspended_at: answerField(Schema.NullOr(Schema.String), "When the account was suspended; null if it is active."),
  version: answerField(Schema.Int, "The version of the record. A change that names another version is refused."),
  created_at: answerField(Schema.String, "ISO 8601, UTC.")
}).annotations({ identifier: "Account" })
export type AccountRecord = typeof AccountRecord.Type

/** A credit to an account, or a debit if negative. */
export const GrantRecord = Schema.Struct({
  time: answerField(Schema.String, "When (ISO 8601, UTC)."),
  amount: answerField(Money, "Negative if it was withdrawn."),
  note: answerField(Schema.String, "The purpose.")
}).annotations({ identifier: "Grant" })
export type GrantRecord = typeof GrantRecord.Type

const declaredColumns = {
  models: "declared_models",
  not_models: "declared_not_models",
  budgets: "declared_budgets",
  unpriced: "declared_unpriced",
  ...recordOf<{ readonly [Name in AccountSetting]: `declared_${Name}` }>(
    settingNames.map((name) => [name, declaredName(name)])
  )
} as const satisfies Record<typeof Declared.Type, keyof AccountRow>

const modelsOf = (row: AccountRow) => row.declared_models ?? row.models ?? ["*"]
const notModelsOf = (row: AccountRow) => row.declared_not_models ?? row.not_models ?? []

export const accountRecord = (row: AccountRow, budgets: ReadonlyArray<BudgetStanding>): AccountRecord => ({
  object: "account",
  id: row.id,
  metered: row.granted_nano_usd !== null,
  granted: row.granted_nano_usd === null ? null : money(row.granted_nano_usd),
  settled: money(row.settled_nano_usd),
  held: money(row.held),
  available: row.granted_nano_usd === null ? null : money(row.granted_nano_usd - row.settled_nano_usd - row.held),
  models: modelsOf(row),
  not_models: notModelsOf(row),
  limits: limitsRecord(row.limits),
  budgets: budgets.map(budgetRecord),
  ...settingsInEffect(row),
  search_domains: { allowed: row.search_allowed, blocked: row.search_blocked },
  unpriced: row.declared_unpriced ?? row.unpriced,
  webhook_url: row.webhook_url,
  declared: Struct.keys(declaredColumns).filter((name) => row[declaredColumns[name]] !== null),
  keys: row.keys,
  suspended_at: isoOrNull(row.suspended_at),
  version: versionOf([
    row.granted_nano_usd === null,
    row.suspended_at,
    row.limits,
    row.search_allowed,
    row.search_blocked,
    row.declared_unpriced ?? row.unpriced,
    accountBudgetsOf(row),
    settingsInEffect(row),
    row.webhook_url,
    modelsOf(row),
    notModelsOf(row)
  ]),
  created_at: isoTime(row.created_at)
})
