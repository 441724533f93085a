import type { Caller, Limits as Bounds } from "../contract/callers/Caller.ts"
import { credential } from "../contract/callers/credential.ts"
import type { Bound } from "./Permits.ts"

/** The limits of a key, account or model, and the keys of its counters. */
export interface Scope {
  /** For error messages. */
  readonly who: string
  readonly key: string
  /** Counter keys by kind; made once, because each request needs them several times. */
  readonly keys: Readonly<Record<Kind, string>>
  readonly bounds: Bounds
}

/** The limits that apply to a caller's requests for a model. */
export interface Plan {
  /** Some limit bounds the request. */
  readonly isBounded: boolean
  readonly model: Scope
  readonly permits: ReadonlyArray<Bound & { readonly who: string }>
  /** Scopes with a token limit. */
  readonly counted: ReadonlyArray<Scope>
  /** The caller itself has a token limit, so that replies report its standing. */
  readonly isToldTokens: boolean
}

export type Kind = "requests" | "tokens"

const none: Bounds = {}

/** A model and its limits. */
export interface Limited {
  readonly id: string
  readonly limits?: Bounds | undefined
  readonly aliasOf?: string | undefined
  readonly wildcard?: string | undefined
}

/** Caches by identity: a cached key's caller, and a model, is the same object for every request. */
const known = new WeakMap<Caller, ReadonlyArray<Scope>>()
const plans = new WeakMap<Caller, WeakMap<Limited, Plan>>()

export const planOf = (caller: Caller, model: Limited): Plan => {
  let ofCaller = plans.get(caller)
  if (ofCaller === undefined) plans.set(caller, (ofCaller = new WeakMap()))
  let plan = ofCaller.get(model)
  if (plan === undefined) ofCaller.set(model, (plan = makePlan(caller, model)))
  return plan
}

const makePlan = (caller: Caller, { aliasOf, id, limits = none, wildcard }: Limited): Plan => {
  const counted = wildcard ?? aliasOf ?? id
  const model = scopeOf(`the model "${counted}"`, `model:${counted}`, limits)
  const scopes = [...scopesOf(caller), model]
  return {
    isBounded: scopes.some(({ bounds }) => isBounded(bounds)),
    model,
    permits: scopes.flatMap(({ bounds, key, who }) =>
      bounds.concurrentRequests === undefined ? [] : [{ key, who, most: bounds.concurrentRequests }]
    ),
    counted: scopes.filter((scope) => limitOf(scope, "tokens") !== undefined),
    isToldTokens: caller.keyLimits.tokensPerMinute !== undefined || caller.accountLimits.tokensPerMinute !== undefined
  }
}

const scopeOf = (who: string, key: string, bounds: Bounds): Scope => ({
  who,
  key,
  keys: { requests: `requests:${key}`, tokens: `tokens:${key}` },
  bounds
})

export const scopesOf = (caller: Caller): ReadonlyArray<Scope> => {
  let scopes = known.get(caller)
  if (scopes === undefined) {
    scopes = [
      scopeOf(credential(caller), `key:${caller.key}`, caller.keyLimits),
      scopeOf("this account", `account:${caller.account}`, caller.accountLimits)
    ]
    known.set(caller, scopes)
  }
  return scopes
}

export const isRated = (bounds: Bounds) =>
  bounds.requestsPerMinute !== undefined || bounds.tokensPerMinute !== undefined

const isBounded = (bounds: Bounds) => isRated(bounds) || bounds.concurrentRequests !== undefined

export const limitOf = ({ bounds }: Scope, kind: Kind) =>
  kind === "requests" ? bounds.requestsPerMinute : bounds.tokensPerMinute
