import { Effect } from "effect"
import type { AddressGuard } from "../guard/AddressGuard.ts"
import type { AccountSettings } from "./AccountsApi.ts"
import { noLimits } from "./fields.ts"

/** Refuses a webhook address that would never be called. */
export const admitted = (guard: AddressGuard, { webhook_url }: Pick<AccountSettings, "webhook_url">) =>
  typeof webhook_url === "string" ? guard.admit(webhook_url, "webhook_url") : Effect.void

/** The settings of a request. */
export const accountOptions = ({
  budgets,
  hold_output_tokens: holdOutputTokens,
  limits,
  models,
  not_models: notModels,
  search_allowed,
  search_blocked,
  trusts_end_user: trustsEndUser,
  unpriced,
  webhook_url: webhookUrl
}: AccountSettings) => ({
  unpriced,
  budgets,
  trustsEndUser,
  holdOutputTokens,
  limits: limits === null ? noLimits : limits,
  models,
  notModels: notModels?.length === 0 ? null : notModels,
  searchAllowed: search_allowed,
  searchBlocked: search_blocked,
  webhookUrl
})
