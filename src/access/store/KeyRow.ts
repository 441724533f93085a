import { Schema } from "effect"
import { AccountId, KeyId, Limits, Unpriced } from "../../contract/Caller.ts"
import type { Budget, Caller, ModelRule } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"

export const Patterns = Schema.parseJson(Schema.Array(Schema.String))
export const LimitsJson = Schema.parseJson(Limits)
const Time = Schema.NullOr(Schema.Int)

const columns = {
  id: KeyId,
  account_id: AccountId,
  name: Schema.String,
  hint: Schema.String,
  models: Patterns,
  not_models: Schema.NullOr(Patterns),
  upstreams: Schema.NullOr(Patterns),
  choose_route: Schema.Int,
  limits: LimitsJson,
  budget_nano_usd: Schema.NullOr(Schema.Int),
  budget_period: Schema.NullOr(Schema.Literal("day", "month")),
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
  suspended_at: Time,
  unpriced_here: Schema.NullOr(Unpriced),
  hold_output_tokens: Schema.NullOr(Schema.Int),
  search_allowed: Schema.NullOr(Patterns),
  search_blocked: Schema.NullOr(Patterns)
})

/** A key's row, with its spending in the current UTC day and month, in nano-dollars. */
export const spendingKeys = rows("keys", {
  ...columns,
  declared: Schema.NullOr(Schema.Literal("here", "removed")),
  spent_day: Schema.Int,
  spent_month: Schema.Int
})
export type SpendingKey = ReturnType<typeof spendingKeys.one>

/** A key of the configuration file: still `here`, or `removed`. */
export const declaredKeys = rows("keys", {
  id: Schema.String,
  name: Schema.String,
  hash: Schema.String,
  declared: Schema.Literal("here", "removed"),
  revoked_at: Time
})
export type DeclaredKey = ReturnType<typeof declaredKeys.one>

/** The data of a key and its account that a request needs. */
export interface Opening {
  readonly caller: Caller
  readonly expiresAtMs: number | undefined
  readonly revoked: boolean
  /** The account is suspended. */
  readonly suspended: boolean
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
        ...(row.choose_route === 1 ? { choosesRoute: true } : {}),
        keyLimits: row.limits,
        accountLimits: row.account_limits,
        budget: budgetOf(row),
        ...(row.unpriced_here === null ? {} : { unpriced: row.unpriced_here }),
        ...(row.hold_output_tokens === null ? {} : { holdOutputTokens: row.hold_output_tokens }),
        searchDomains: { allowed: row.search_allowed ?? undefined, blocked: row.search_blocked ?? undefined }
      },
      expiresAtMs: row.expires_at ?? undefined,
      revoked: row.revoked_at !== null,
      suspended: row.suspended_at !== null
    }
  )
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

/** A row's budget, if it has one. */
export const budgetOf = (row: Pick<SpendingKey, "budget_nano_usd" | "budget_period">): Budget | undefined =>
  row.budget_nano_usd === null || row.budget_period === null
    ? undefined
    : { nanoUsd: row.budget_nano_usd, period: row.budget_period }

/** The settings of a key. */
export interface KeySettings {
  readonly name: string
  readonly models: ReadonlyArray<string>
  readonly notModels: ReadonlyArray<string>
  /** null: all. */
  readonly upstreams: ReadonlyArray<string> | null
  readonly choosesRoute: boolean
  readonly limits: Limits
  readonly budget: Budget | undefined
  /** null: the account's. */
  readonly unpriced: Unpriced | null
  /** Unix ms. */
  readonly expiresAtMs: number | undefined
}

export const settingsColumns = ({ budget, expiresAtMs, limits, name, unpriced, ...rules }: KeySettings) => ({
  name,
  ...ruleColumns(rules),
  limits: JSON.stringify(limits),
  budget_nano_usd: budget?.nanoUsd ?? null,
  budget_period: budget?.period ?? null,
  unpriced,
  expires_at: expiresAtMs ?? null
})

/** The columns of the models and routes that a key may use. */
export const ruleColumns = ({
  choosesRoute,
  models,
  notModels,
  upstreams
}: Pick<KeySettings, "models" | "notModels" | "upstreams" | "choosesRoute">) => ({
  models: JSON.stringify(models),
  not_models: notModels.length === 0 ? null : JSON.stringify(notModels),
  upstreams: upstreams === null ? null : JSON.stringify(upstreams),
  choose_route: choosesRoute ? 1 : 0
})
