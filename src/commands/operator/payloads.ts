import type { AccountOptions } from "../../admin/AccountAdministration.ts"
import { isoTime } from "../../admin/fields.ts"
import type { KeyOptions } from "../../admin/KeyAdministration.ts"
import { money } from "../../ledger/Money.ts"

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** What is there of it: the admin API's null takes away, and what is left out stays. */
export const present = <A extends object>(given: A): Present<A> =>
  // The type says what the filter does.
  // oxlint-disable-next-line typescript/consistent-type-assertions -- entries lose their keys' names
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<A>

/** A key's settings as the admin API takes them. */
export const keyPayload = ({ budget, expiresAtMs, limits, models, unpriced }: Omit<KeyOptions, "name">) => ({
  ...present({ limits, models, unpriced }),
  ...(budget === undefined
    ? {}
    : { budget: budget === null ? null : { usd: money(budget.nanoUsd).usd, period: budget.period } }),
  ...(expiresAtMs === undefined ? {} : { expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs) })
})

/** An account's settings as the admin API takes them. */
export const accountPayload = ({ holdOutputTokens, limits, searchAllowed, searchBlocked, unpriced }: AccountOptions) =>
  present({
    limits,
    unpriced,
    hold_output_tokens: holdOutputTokens,
    search_allowed: searchAllowed,
    search_blocked: searchBlocked
  })
