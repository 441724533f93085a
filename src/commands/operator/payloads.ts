import { Struct } from "effect"
import type { AccountOptions } from "../../admin/AccountAdministration.ts"
import { isoTime } from "../../admin/fields.ts"
import type { KeyOptions } from "../../admin/KeyAdministration.ts"
import { recordOf } from "../../contract/json/recordOf.ts"
import { keySettingNames } from "../../contract/callers/keySettings.ts"
import { settingNames } from "../../contract/callers/accountSettings.ts"

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Drops undefined fields. In the admin API, null removes a value and an absent field leaves it as it is. */
export const present = <A extends object>(given: A): Present<A> =>
  // The filter removes exactly what `Present` excludes.
  recordOf<Present<A>>(Struct.entries(given).filter(([, value]) => value !== undefined))

/** A key's settings in the admin API's form. */
export const keyPayload = ({ budgets, expiresAtMs, limits, unpriced, ...rules }: Omit<KeyOptions, "name">) => ({
  ...present({
    budgets,
    limits,
    unpriced,
    models: rules.models,
    not_models: rules.notModels,
    upstreams: rules.upstreams,
    ...Struct.pick(rules, ...keySettingNames)
  }),
  ...(expiresAtMs === undefined ? {} : { expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs) })
})

/** An account's settings in the admin API's form. */
export const accountPayload = ({
  budgets,
  limits,
  models,
  notModels,
  searchAllowed,
  searchBlocked,
  unpriced,
  webhookUrl,
  ...settings
}: AccountOptions) =>
  present({
    ...Struct.pick(settings, ...settingNames),
    limits,
    models,
    unpriced,
    budgets,
    not_models: notModels,
    search_allowed: searchAllowed,
    search_blocked: searchBlocked,
    webhook_url: webhookUrl
  })
