import * as RateLimiter from "@effect/experimental/RateLimiter"
import { Duration, Effect, Layer } from "effect"
import type { Caller, Limits as Bounds } from "../contract/Caller.ts"
import * as Eager from "../contract/eager.ts"
import { RateLimited } from "../contract/Failure.ts"
import { Permits } from "./Permits.ts"
import type { Bound } from "./Permits.ts"
import { dialectOf, writeHeaders } from "./rateHeaders.ts"
import type { Dialect, Standing } from "./rateHeaders.ts"
import { rateLimiter, Windows } from "./Windows.ts"

/** A running request within its limits. */
export interface Admission {
  /** To be called once it is over, with the tokens it really used. */
  readonly done: (tokens: number) => void
}

/** Somebody's limits, and the name under which their use is counted. */
interface Scope {
  /** As a message says it. */
  readonly who: string
  readonly key: string
  /** Under which its use of a kind is counted; made once, for they are looked up several times a request. */
  readonly keys: Readonly<Record<Kind, string>>
  readonly bounds: Bounds
}

/** What a request of a caller for a model is within. */
interface Plan {
  readonly model: Scope
  readonly permits: ReadonlyArray<Bound & { readonly who: string }>
  /** Those that count tokens. */
  readonly counted: ReadonlyArray<Scope>
}

type Kind = "requests" | "tokens"

/** A limit that is used up. */
interface Exceeded {
  readonly scope: Scope
  readonly standing: Standing
}

const minute = Duration.minutes(1)
const withoutLimits = Effect.succeed<Admission>({ done: () => {} })

/**
 * How much a caller may use: requests and tokens a minute, and requests at once; each for the key, its account and the
 * model. A request's tokens count in the minute in which it began.
 */
export class Limits extends Effect.Service<Limits>()("gateway/limits/Limits", {
  dependencies: [rateLimiter.pipe(Layer.provideMerge(Windows.layer))],
  effect: Effect.gen(function* () {
    const limiter = yield* RateLimiter.RateLimiter
    const windows = yield* Windows
    const clock = yield* Effect.clock
    const running = new Permits()

    /** Counts of this process are asked without the library's effects, which cost more than all else that is counted. */
    const take = (scope: Scope, kind: Kind, amount: number, limit: number): Effect.Effect<Standing, Exceeded> => {
      if (windows.takeNow === undefined) return consume(scope, kind, amount, limit)
      const { count, leftMs } = windows.takeNow(scope.keys[kind], amount, limit)
      return count <= limit
        ? Effect.succeed({ limit, remaining: limit - count, leftMs })
        : Effect.fail({ scope, standing: { limit, remaining: 0, leftMs } })
    }

    const consume = (scope: Scope, kind: Kind, amount: number, limit: number): Effect.Effect<Standing, Exceeded> =>
      limiter.consume({ key: scope.keys[kind], limit, window: minute, tokens: amount }).pipe(
        Effect.map(({ remaining, resetAfter }) => ({ limit, remaining, leftMs: Duration.toMillis(resetAfter) })),
        Effect.catchAll((error) => {
          const standing = { limit, remaining: 0, leftMs: Duration.toMillis(minute) }
          return error.reason === "Exceeded"
            ? Effect.fail({ scope, standing: { ...standing, leftMs: Duration.toMillis(error.retryAfter) } })
            : // A lost Redis is no reason to serve nobody.
              Effect.as(Effect.logWarning(error.message), { ...standing, remaining: limit })
        })
      )

    /**
     * Takes an amount for each scope that has such a limit, up to the first that is used up; answers the tightest.
     *
     * @param taken hears of each scope from which it was taken
     */
    const takeEach = (
      scopes: ReadonlyArray<Scope>,
      kind: Kind,
      amount: number,
      taken: (scope: Scope) => void = () => {}
    ): Effect.Effect<Standing | undefined, Exceeded> => {
      const from = (index: number, tightest: Standing | undefined): Effect.Effect<Standing | undefined, Exceeded> => {
        const scope = scopes[index]
        if (scope === undefined) return Effect.succeed(tightest)
        const limit = limitOf(scope, kind)
        if (limit === undefined) return from(index + 1, tightest)
        return Eager.flatMap(take(scope, kind, amount, limit), (standing) => {
          taken(scope)
          return from(
            index + 1,
            tightest === undefined || standing.remaining < tightest.remaining ? standing : tightest
          )
        })
      }
      return from(0, undefined)
    }

    /** Where the scopes stand; nothing is taken. */
    const look = (scopes: ReadonlyArray<Scope>, kind: Kind): Effect.Effect<Standing | undefined> =>
      Eager.matchEffect(takeEach(scopes, kind, 0), {
        onFailure: ({ standing }) => Effect.succeed(standing),
        onSuccess: (standing) => Effect.succeed(standing)
      })

    /**
     * Lets one request of the caller in, or says when to come back; either way the reply says where the caller stands.
     * Without limits it is an effect that has already succeeded.
     */
    const admit = (
      caller: Caller,
      dialect: Dialect,
      headers: Record<string, string>
    ): Effect.Effect<void, RateLimited> => {
      if (!isRated(caller.keyLimits) && !isRated(caller.accountLimits)) return Effect.void
      const scopes = scopesOf(caller)
      const show = (kind: Kind, standing: Standing | undefined): void => {
        if (standing !== undefined) writeHeaders(headers, dialect, kind, standing, clock.unsafeCurrentTimeMillis())
      }
      // Tokens are only looked at: what the request will use is not known yet, or it is one that uses none.
      return Eager.flatMap(look(scopes, "tokens"), (tokens) => {
        show("tokens", tokens)
        return Eager.matchEffect(takeEach(scopes, "requests", 1), {
          onFailure: (exceeded) => {
            show("requests", exceeded.standing)
            return Effect.fail(tooMany(exceeded, "requests"))
          },
          onSuccess: (requests) => {
            show("requests", requests)
            return Effect.void
          }
        })
      })
    }

    /**
     * Lets a request for a model run: a permit for each limit of requests at once, and the tokens it may use.
     *
     * @param tokens the most it may use; only asked where that matters
     */
    const begin = (
      caller: Caller,
      model: Limited,
      tokens: () => number,
      headers: Record<string, string>
    ): Effect.Effect<Admission, RateLimited> => {
      if (!isBounded(caller.keyLimits) && !isBounded(caller.accountLimits) && !isBounded(model.limits ?? none)) {
        return withoutLimits
      }
      return beginWithin(planOf(caller, model), tokens, headers)
    }

    const beginWithin = (
      { counted, model, permits }: Plan,
      tokens: () => number,
      headers: Record<string, string>
    ): Effect.Effect<Admission, RateLimited> => {
      const full = running.take(permits)
      if (full !== undefined) return Effect.fail(allBusy(full))
      const reserved = counted.length === 0 ? 0 : tokens()
      const beganMs = clock.unsafeCurrentTimeMillis()
      const taken: Array<Scope> = []
      const correct = (tokens: number) => {
        for (const scope of taken) windows.correct(scope.keys.tokens, tokens, beganMs)
        running.giveBack(permits)
      }
      const takenAll = Eager.flatMap(exceeding("requests", 1, takeEach([model], "requests", 1)), () =>
        exceeding(
          "tokens",
          reserved,
          takeEach(counted, "tokens", reserved, (scope) => taken.push(scope))
        )
      )
      return Eager.matchCauseEffect(takenAll, {
        onFailure: (cause) => {
          correct(-reserved)
          return Effect.failCause(cause)
        },
        onSuccess: () =>
          Eager.map(look(counted, "tokens"), (standing): Admission => {
            if (standing !== undefined) writeHeaders(headers, dialectOf(headers), "tokens", standing, beganMs)
            return { done: (used) => correct(used - reserved) }
          })
      })
    }

    const exceeding = <A>(kind: Kind, amount: number, taking: Effect.Effect<A, Exceeded>) =>
      Eager.matchEffect(taking, {
        onFailure: (exceeded) => Effect.fail(tooMany(exceeded, kind, amount)),
        onSuccess: (value) => Effect.succeed(value)
      })

    return { admit, begin } as const
  })
}) {}

const none: Bounds = {}

/** A model as far as it has limits. */
interface Limited {
  readonly id: string
  readonly limits?: Bounds | undefined
}

/** A known key's caller is the same object from request to request, and so is a model. */
const known = new WeakMap<Caller, ReadonlyArray<Scope>>()
const plans = new WeakMap<Caller, WeakMap<Limited, Plan>>()

const planOf = (caller: Caller, model: Limited): Plan => {
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
    model,
    permits: scopes.flatMap(({ bounds, key, who }) =>
      bounds.concurrentRequests === undefined ? [] : [{ key, who, most: bounds.concurrentRequests }]
    ),
    counted: scopes.filter((scope) => limitOf(scope, "tokens") !== undefined)
  }
}

const scopeOf = (who: string, key: string, bounds: Bounds): Scope => ({
  who,
  key,
  keys: { requests: `requests:${key}`, tokens: `tokens:${key}` },
  bounds
})

const scopesOf = (caller: Caller): ReadonlyArray<Scope> => {
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

const isRated = (bounds: Bounds) => bounds.requestsPerMinute !== undefined || bounds.tokensPerMinute !== undefined

const isBounded = (bounds: Bounds) => isRated(bounds) || bounds.concurrentRequests !== undefined

const limitOf = ({ bounds }: Scope, kind: Kind) =>
  kind === "requests" ? bounds.requestsPerMinute : bounds.tokensPerMinute

const tooMany = ({ scope, standing }: Exceeded, kind: Kind, amount = 1) =>
  amount > standing.limit
    ? new RateLimited({
        message: `Too many tokens: the request may use ${amount}, and ${scope.who} has ${standing.limit} a minute; ask for fewer output tokens`,
        retryAfterSeconds: null
      })
    : new RateLimited({
        message: `Too many ${kind}: ${scope.who} has ${standing.limit} a minute`,
        retryAfterSeconds: standing.leftMs / 1_000
      })

const allBusy = ({ most, who }: { readonly who: string; readonly most: number }) =>
  new RateLimited({
    message: `Too many requests at once: ${who} may have ${most} running`,
    // Whenever one of them ends; nobody knows.
    retryAfterSeconds: null
  })
