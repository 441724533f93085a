import { Effect, Struct } from "effect"
import { settingNames } from "../contract/callers/accountSettings.ts"
import type { AddressGuard } from "../guard/AddressGuard.ts"
import type { AccountSettings } from "./AccountsApi.ts"
import { noLimits } from "./fields.ts"

/** Refuses a webhook address that would never be called. */
export const admitWebhook = (guard: AddressGuard, { webhook_url }: Pick<AccountSettings, "webhook_url">) =>
  typeof webhook_url === "string" ? guard.admit(webhook_url, "webhook_url") : Effect.void

/** The settings of a request. */
export const accountOptions = ({
  budgets,
  limits,
  models,
  not_models: notModels,
  search_allowed,
  search_blocked,
  unpriced,
  webhook_url: webhookUrl,
  ...settings
}: AccountSettings) => ({
  ...Struct.pick(settings, ...settingNames),
  unpriced,
  budgets,
  limits: limits === null ? noLimits : limits,
  models,
  notModels: notModels?.length === 0 ? null : notModels,
  searchAllowed: search_allowed,
  searchBlocked: search_blocked,
  webhookUrl
})
