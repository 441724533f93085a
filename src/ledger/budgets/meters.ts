import type { Budget } from "../../contract/budgets/Budget.ts"
import type { AccountId, Caller, KeyId } from "../../contract/callers/Caller.ts"
import { credential } from "../../contract/callers/credential.ts"
import { makePlaces } from "./windows.ts"
import type { Place } from "./windows.ts"

/** A budget of a key or an account, with the id of its counters. */
export interface Meter {
  readonly id: string
  readonly account: AccountId
  /** The key that it is of; undefined for the account's. */
  readonly key: KeyId | undefined
  /** Its owner, in a refusal: `this API key`. */
  readonly who: string
  readonly budget: Budget
  readonly placeOf: (nowMs: number) => Place
  /** True if end users have counters of their own. */
  readonly countsEndUsers: boolean
}

/**
 * The id of a budget's counters: its owner and what it counts. A budget with another limit keeps its counters; one that
 * counts something else begins anew.
 */
const meterId = (owner: string, { each, models, tag, unit, window }: Budget): string => {
  const span = "rollingMs" in window ? window.rollingMs : window.per === "total" ? "total" : [window.per, window.zone]
  const counted = JSON.stringify([unit, span, models?.toSorted() ?? null, tag ?? null, each ?? null])
  return `${owner} ${hashOf(counted).slice(0, 16)}`
}

const keyOwner = (key: string): string => `key ${key}`
const accountOwner = (account: string): string => `account ${account}`

/** Makes text of any length and content the part of an id. */
export const hashOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)

interface Owned {
  readonly account: AccountId
  readonly key: KeyId | undefined
  readonly trustsEndUser: boolean
  /** Of a key: what opened it. */
  readonly openedBy?: Caller["openedBy"]
}

export const meterOf = (budget: Budget, { account, key, openedBy, trustsEndUser }: Owned): Meter => ({
  id: meterId(key === undefined ? accountOwner(account) : keyOwner(key), budget),
  account,
  key,
  who: key === undefined ? "this account" : credential({ openedBy }),
  budget,
  placeOf: makePlaces(budget.window),
  countsEndUsers: budget.each === "end_user" && trustsEndUser
})

const none: ReadonlyArray<never> = []
/** By identity: a key's cached caller is the same object for every request. */
const known = new WeakMap<Caller, ReadonlyArray<Meter>>()

/** All budgets that may apply to a caller's requests: its key's, then its account's. */
export const metersOf = (caller: Caller): ReadonlyArray<Meter> => {
  const { account, accountBudgets = none, key, keyBudgets = none, openedBy, trustsEndUser = false } = caller
  if (keyBudgets.length === 0 && accountBudgets.length === 0) return none
  let meters = known.get(caller)
  if (meters === undefined) {
    meters = [
      ...keyBudgets.map((budget) => meterOf(budget, { account, key, openedBy, trustsEndUser })),
      ...accountBudgets.map((budget) => meterOf(budget, { account, key: undefined, trustsEndUser }))
    ]
    known.set(caller, meters)
  }
  return meters
}

/** True for a budget in dollars: prices must be known. */
export const isOfMoney = ({ budget }: Meter): boolean => budget.unit === "usd"
