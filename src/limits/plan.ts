import type { Caller, Limits as Bounds } from "../contract/Caller.ts"
import type { Bound } from "./Permits.ts"

/** Somebody's limits, and the name under which their use is counted. */
export interface Scope {
  /** As a message says it. */
  readonly who: string
  readonly key: string
  /** Under which its use of a kind is counted; made once, for they are looked up several times a request. */
  readonly keys: Readonly<Record<Kind, string>>
  readonly bounds: Bounds
}

/** What a request of a caller for a model is within. */
export interface Plan {
  /** Some limit bounds the request. */
  readonly isBounded: boolean
  readonly model: Scope
  readonly permits: ReadonlyArray<Bound & { readonly who: string }>
  /** Those that count tokens. */
  readonly counted: ReadonlyArray<Scope>
  /** Whether some of them are the caller's own: a model's are nobody's to stand against. */
  readonly isToldTokens: boolean
}

export type Kind = "requests" | "tokens"

const none: Bounds = {}

/** A model as far as it has limits. */
export interface Limited {
  readonly id: string
  readonly limits?: Bounds | undefined
}

/** A known key's caller is the same object from request to request, and so is a model. */
const known = new WeakMap<Caller, ReadonlyArray<Scope>>()
const plans = new WeakMap<Caller, WeakMap<Limited, Plan>>()

export const planOf = (caller: Caller, model: Limited): Plan => {
  let ofCaller = plans.get(caller)
  if (ofCaller === undefined) plans.set(caller, (ofCaller = new WeakMap()))
  let plan = ofCaller.get(model)
  if (plan === undefined) ofCaller.set(model, (plan = makePlan(caller, model)))
  return plan
}

const makePlan = (caller: Caller, { id, limits = none }: Limited): Plan => {
  const model = scopeOf(`the model "${id}"`, `model:${id}`, limits)
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
      scopeOf("this API key", `key:${caller.key}`, caller.keyLimits),
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
