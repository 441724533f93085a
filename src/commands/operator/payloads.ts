import type { AccountOptions } from "../../admin/AccountAdministration.ts"
import { isoTime } from "../../admin/fields.ts"
import type { KeyOptions } from "../../admin/KeyAdministration.ts"

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** Drops undefined fields. In the admin API, null removes a value and an absent field leaves it as it is. */
export const present = <A extends object>(given: A): Present<A> =>
  // The filter removes exactly what `Present` excludes.
  // oxlint-disable-next-line typescript/consistent-type-assertions -- entries lose their keys' names
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<A>

/** A key's settings in the admin API's form. */
export const keyPayload = ({ budgets, expiresAtMs, limits, unpriced, ...rules }: Omit<KeyOptions, "name">) => ({
  ...present({
    budgets,
    limits,
    unpriced,
    models: rules.models,
    not_models: rules.notModels,
    upstreams: rules.upstreams,
    choose_route: rules.choosesRoute
  }),
  ...(expiresAtMs === undefined ? {} : { expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs) })
})

/** An account's settings in the admin API's form. */
export const accountPayload = ({
  budgets,
  holdOutputTokens,
  limits,
  models,
  notModels,
  searchAllowed,
  searchBlocked,
  trustsEndUser,
  unpriced,
  webhookUrl
}: AccountOptions) =>
  present({
    limits,
    models,
    unpriced,
    budgets,
    not_models: notModels,
    trusts_end_user: trustsEndUser,
    hold_output_tokens: holdOutputTokens,
    search_allowed: searchAllowed,
    search_blocked: searchBlocked,
    webhook_url: webhookUrl
  })
