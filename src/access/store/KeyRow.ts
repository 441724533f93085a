import { Schema } from "effect"
import { AccountId, KeyId, Limits, Unpriced } from "../../contract/callers/Caller.ts"
import { BudgetsJson, plainBudget } from "../../contract/budgets/Budget.ts"
import type { Budget } from "../../contract/budgets/Budget.ts"
import type { Caller, ModelRule } from "../../contract/callers/Caller.ts"
import type { Hint } from "../../contract/callers/keyHint.ts"
import { besideKey, callerSettings } from "../../contract/callers/accountSettings.ts"
import { callerKeySettings } from "../../contract/callers/keySettings.ts"
import type { KeySetting, StoredKeySettings } from "../../contract/callers/keySettings.ts"
import { rows } from "../../sql/decode.ts"
import { keySettingColumns, settingColumns, storedKeySettings } from "./settingColumns.ts"

export const Patterns = Schema.parseJson(Schema.Array(Schema.String))
export const LimitsJson = Schema.parseJson(Limits)
const Time = Schema.NullOr(Schema.Int)

const columns = {
  id: KeyId,
  account_id: AccountId,
  name: Schema.String,
  hint: Schema.String,
  hint_form: Schema.Literal("end", "middle"),
  models: Patterns,
  not_models: Schema.NullOr(Patterns),
  upstreams: Schema.NullOr(Patterns),
  ...keySettingColumns,
  limits: LimitsJson,
  budget_nano_usd: Schema.NullOr(Schema.Int),
  budget_period: Schema.NullOr(Schema.Literal("day", "month")),
  budgets: Schema.NullOr(BudgetsJson),
  unpriced: Schema.NullOr(Unpriced),
  created_at: Schema.Int,
  expires_at: Time,
  last_used_at: Time,
  revoked_at: Time
} as const

const openings = rows("keys", {
  ...columns,
  account_limits: LimitsJson,
  account_models: Schema.NullOr(Patterns),
  account_not_models: Schema.NullOr(Patterns),
  account_budgets: BudgetsJson,
  ...besideKey(settingColumns),
  suspended_at: Time,
  person_id: Schema.NullOr(Schema.String),
  person_held: Schema.NullOr(Schema.Literal("away", "over")),
  unpriced_here: Schema.NullOr(Unpriced),
  search_allowed: Schema.NullOr(Patterns),
  search_blocked: Schema.NullOr(Patterns)
})

export const keyRows = rows("keys", {
  ...columns,
  hash: Schema.String,
  old_until: Time,
  declared: Schema.NullOr(Schema.Literal("here", "removed")),
  person_id: Schema.NullOr(Schema.String),
  person_held: Schema.NullOr(Schema.Literal("away", "over")),
  suspended_at: Time
})
export type KeyRow = ReturnType<typeof keyRows.one>

/** False for a key that sign-ins or an issuer's tokens open: its hash is that of no secret. */
export const hasSecret = ({ hash }: Pick<KeyRow, "hash">): boolean => /^[0-9a-f]{64}$/.test(hash)

const secretsOf = rows("keys", { hash: Schema.String, old_until: Time })

/** The columns of a key's budgets. */
export const budgetedKeys = rows("keys", {
  id: KeyId,
  account_id: AccountId,
  name: Schema.String,
  budget_nano_usd: columns.budget_nano_usd,
  budget_period: columns.budget_period,
  budgets: columns.budgets
})

/** A key of the configuration file: still `here`, or `removed`. */
export const declaredKeys = rows("keys", {
  id: Schema.String,
  name: Schema.String,
  hash: Schema.String,
  declared: Schema.Literal("here", "removed"),
  revoked_at: Time
})
export type DeclaredKey = ReturnType<typeof declaredKeys.one>

/** Of a token: its own end, and the address that it opens alone. */
const openingTokens = rows("person_tokens", {
  token_expires_at: Schema.Int,
  token_resource: Schema.NullOr(Schema.String)
})

/** The data of a key and its account that a request needs. */
export interface Opening {
  readonly caller: Caller
  readonly expiresAtMs: number | undefined
  readonly revoked: boolean
  /** The account is suspended. */
  readonly suspended: boolean
  /** Its owner, of a person's own key. */
  readonly person: string | undefined
  /** Its person's provider is away for too long, or the person has to sign in again. */
  readonly held: "away" | "over" | undefined
  /** True for a person's token that opens `/mcp` alone. */
  readonly isForTools?: boolean
  /** True for a secret that a rotation replaced, after its overlap. */
  readonly isReplaced?: boolean
  /** Until when an issuer's token, or one of a key's two secrets, need not be verified again. */
  readonly verifiedUntilMs?: number | undefined
}

export const firstOpening = (found: ReadonlyArray<unknown>): Opening | undefined => {
  const row = openings.first(found)
  return (
    row && {
      caller: {
        account: row.account_id,
        key: row.id,
        models: row.models,
        ...(row.not_models === null ? {} : { notModels: row.not_models }),
        ...accountRule(row),
        ...(row.upstreams === null ? {} : { upstreams: row.upstreams }),
        ...callerKeySettings(row),
        keyLimits: row.limits,
        accountLimits: row.account_limits,
        ...given("keyBudgets", keyBudgetsOf(row)),
        ...given("accountBudgets", row.account_budgets),
        ...callerSettings(row),
        ...(row.unpriced_here === null ? {} : { unpriced: row.unpriced_here }),
        searchDomains: { allowed: row.search_allowed ?? undefined, blocked: row.search_blocked ?? undefined }
      },
      expiresAtMs: row.expires_at ?? undefined,
      revoked: row.revoked_at !== null,
      suspended: row.suspended_at !== null,
      person: row.person_id ?? undefined,
      held: row.person_held ?? undefined
    }
  )
}

/** The same by one of the key's secrets, by its hash. */
export const firstOpeningBySecret = (
  found: ReadonlyArray<unknown>,
  hash: string,
  nowMs: number
): Opening | undefined => {
  const opening = firstOpening(found)
  const secrets = secretsOf.first(found)
  if (opening === undefined || secrets === undefined || secrets.old_until === null) return opening
  const isOld = secrets.hash !== hash
  if (secrets.old_until <= nowMs) return isOld ? { ...opening, isReplaced: true } : opening
  const caller: Caller = { ...opening.caller, keySecret: isOld ? "old" : "new" }
  return { ...opening, caller, verifiedUntilMs: secrets.old_until }
}

/** The same by a token of the key's person. */
export const firstOpeningByToken = (found: ReadonlyArray<unknown>): Opening | undefined => {
  const opening = firstOpening(found)
  const token = openingTokens.first(found)
  if (opening === undefined || token === undefined) return undefined
  return {
    ...opening,
    caller: { ...opening.caller, openedBy: "sign-in" },
    isForTools: token.token_resource !== null,
    expiresAtMs: Math.min(opening.expiresAtMs ?? Infinity, token.token_expires_at)
  }
}

const accountRule = ({
  account_models: models,
  account_not_models: notModels
}: Pick<ReturnType<typeof openings.one>, "account_models" | "account_not_models">): {
  readonly accountModels?: ModelRule
} =>
  models === null && notModels === null
    ? {}
    : { accountModels: { models: models ?? ["*"], ...(notModels === null ? {} : { notModels }) } }

/** Absent if there are none, so that a caller without budgets is known by its fields. */
const given = (name: "keyBudgets" | "accountBudgets", budgets: ReadonlyArray<Budget>): Partial<Caller> =>
  budgets.length === 0 ? {} : { [name]: budgets }

/** A key's budgets. An older gateway stored one of dollars, in columns of its own. */
export const keyBudgetsOf = (
  row: Pick<KeyRow, "budgets" | "budget_nano_usd" | "budget_period">
): ReadonlyArray<Budget> => {
  if (row.budgets !== null) return row.budgets
  return row.budget_nano_usd === null || row.budget_period === null
    ? []
    : [plainBudget(row.budget_nano_usd, row.budget_period)]
}

/** The settings of a key. */
export interface KeySettings extends StoredKeySettings {
  readonly name: string
  readonly models: ReadonlyArray<string>
  readonly notModels: ReadonlyArray<string>
  /** null: all. */
  readonly upstreams: ReadonlyArray<string> | null
  readonly limits: Limits
  readonly budgets: ReadonlyArray<Budget>
  /** null: the account's. */
  readonly unpriced: Unpriced | null
  /** Unix ms. */
  readonly expiresAtMs: number | undefined
}

/** The columns of a hint. */
export const hintColumns = ({ form, text }: Hint) => ({ hint: text, hint_form: form })

export const settingsColumns = ({ budgets, expiresAtMs, limits, name, unpriced, ...rules }: KeySettings) => ({
  name,
  ...ruleColumns(rules),
  limits: JSON.stringify(limits),
  budgets: JSON.stringify(budgets),
  unpriced,
  expires_at: expiresAtMs ?? null
})

/** The columns of the models and routes that a key may use. */
export const ruleColumns = ({
  models,
  notModels,
  upstreams,
  ...settings
}: Pick<KeySettings, "models" | "notModels" | "upstreams" | KeySetting>) => ({
  models: JSON.stringify(models),
  not_models: notModels.length === 0 ? null : JSON.stringify(notModels),
  upstreams: upstreams === null ? null : JSON.stringify(upstreams),
  ...storedKeySettings(settings)
})
