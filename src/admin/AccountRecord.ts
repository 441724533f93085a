import { Schema, Struct } from "effect"
import { accountBudgetsOf } from "../access/store/accountBudgetsOf.ts"
import type { AccountRow } from "../access/store/Accounts.ts"
import { Unpriced } from "../contract/Caller.ts"
import { said } from "../contract/fields.ts"
import { BudgetRecord, budgetRecord } from "../ledger/BudgetRecord.ts"
import type { BudgetStanding } from "../ledger/store/BudgetReport.ts"
import { Money, money } from "../ledger/Money.ts"
import { versionOf } from "./version.ts"
import { isoOrNull, isoTime, LimitsRecord, limitsRecord } from "./fields.ts"

const Declared = Schema.Literal("models", "not_models", "budgets", "unpriced", "hold_output_tokens", "trusts_end_user")

/** The operator's view of an account. */
export const AccountRecord = Schema.Struct({
  object: Schema.Literal("account"),
  id: said(Schema.String, "Its id."),
  metered: said(Schema.Boolean, "False: spending is unlimited, and `granted` and `available` are null."),
  granted: said(Schema.NullOr(Money), "Everything it was ever granted."),
  settled: said(Money, "Everything it has spent."),
  held: said(Money, "Held for unfinished tasks; requests being answered may hold more."),
  available: said(Schema.NullOr(Money), "`granted - settled - held`."),
  models: said(
    Schema.Array(Schema.String),
    "Patterns of the only models that its keys may use; `*` stands for any run of characters."
  ),
  not_models: said(Schema.Array(Schema.String), "Patterns of models that none of its keys may use."),
  unmatched_models: Schema.optional(Schema.Array(Schema.String)).annotations({
    description: "Those of `models` and `not_models` that match no model of the gateway; absent if there are none."
  }),
  limits: said(LimitsRecord, "Its limits, over all its keys."),
  budgets: said(Schema.Array(BudgetRecord), "Its budgets, over all its keys, with what was used."),
  trusts_end_user: said(Schema.Boolean, "True if budgets for each end user believe the end user that a request names."),
  hold_output_tokens: said(
    Schema.NullOr(Schema.Int),
    "The most output tokens that a hold covers; null for the model's own value."
  ),
  search_domains: said(
    Schema.Struct({
      allowed: said(
        Schema.NullOr(Schema.Array(Schema.String)),
        "The only domains that web searches find; null for all."
      ),
      blocked: said(Schema.NullOr(Schema.Array(Schema.String)), "Domains that web searches never find; null for none.")
    }),
    "Domains that the account's web searches may find."
  ),
  unpriced: said(
    Schema.NullOr(Unpriced),
    "Use of models without a price while it has a balance: `allow` or `refuse`; null for the configuration's setting."
  ),
  webhook_url: said(
    Schema.NullOr(Schema.String),
    "Gets `video.completed` and `video.failed` of its video tasks; null for none."
  ),
  declared: said(
    Schema.Array(Declared),
    "The settings that stand in the configuration file, which is where they are changed."
  ),
  keys: said(Schema.Int, "Keys that have not been revoked."),
  suspended_at: said(Schema.NullOr(Schema.String), "When the account was suspended; null if it is active."),
  version: said(Schema.Int, "The version of the record. A change that names another version is refused."),
  created_at: said(Schema.String, "ISO 8601, UTC.")
}).annotations({ identifier: "Account" })
export type AccountRecord = typeof AccountRecord.Type

/** A credit to an account, or a debit if negative. */
export const GrantRecord = Schema.Struct({
  time: said(Schema.String, "When (ISO 8601, UTC)."),
  amount: said(Money, "Negative if it was withdrawn."),
  note: said(Schema.String, "The purpose.")
}).annotations({ identifier: "Grant" })
export type GrantRecord = typeof GrantRecord.Type

const declaredColumns = {
  models: "declared_models",
  not_models: "declared_not_models",
  budgets: "declared_budgets",
  unpriced: "declared_unpriced",
  hold_output_tokens: "declared_hold_output_tokens",
  trusts_end_user: "declared_trusts_end_user"
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
  trusts_end_user: row.declared_trusts_end_user ?? row.trusts_end_user,
  search_domains: { allowed: row.search_allowed, blocked: row.search_blocked },
  unpriced: row.declared_unpriced ?? row.unpriced,
  hold_output_tokens: row.declared_hold_output_tokens ?? row.hold_output_tokens,
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
    row.declared_hold_output_tokens ?? row.hold_output_tokens,
    accountBudgetsOf(row),
    row.declared_trusts_end_user ?? row.trusts_end_user,
    row.webhook_url,
    modelsOf(row),
    notModelsOf(row)
  ]),
  created_at: isoTime(row.created_at)
})
