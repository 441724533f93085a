import * as RateLimiter from "@effect/experimental/RateLimiter"
import { Cause, Duration, Effect, Layer } from "effect"
import type { Caller, Limits as Bounds } from "../contract/Caller.ts"
import { exitOf } from "../contract/eager.ts"
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

/** What was taken for the scopes of a request. */
class Taken {
  readonly scopes: Array<Scope> = []
  /** The tightest; of the one that is used up, where one is. */
  standing: Standing | undefined
  exceeded: Scope | undefined

  from(scope: Scope, standing: Standing): this {
    this.scopes.push(scope)
    if (this.standing === undefined || standing.remaining < this.standing.remaining) this.standing = standing
    return this
  }

  exceeds(scope: Scope, standing: Standing): this {
    this.exceeded = scope
    this.standing = standing
    return this
  }

  refusal(kind: Kind, amount: number): Effect.Effect<never, RateLimited> | undefined {
    const { exceeded, standing } = this
    if (exceeded === undefined || standing === undefined) return undefined
    return Effect.fail(tooMany(exceeded, standing, kind, amount))
  }
}

/** Goes on with what was taken, at once where it is known. */
const after = <A>(
  taken: Taken | Effect.Effect<Taken>,
  next: (taken: Taken) => Effect.Effect<A, RateLimited>
): Effect.Effect<A, RateLimited> => (taken instanceof Taken ? next(taken) : Effect.flatMap(taken, next))

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

    /**
     * Takes an amount for each scope that has such a limit, up to the first that is used up. Counts of this process are
     * asked by plain calls: effects cost more than all else that is counted.
     */
    const takeEach = (
      scopes: ReadonlyArray<Scope>,
      kind: Kind,
      amount: number,
      taken = new Taken()
    ): Taken | Effect.Effect<Taken> => {
      const { takeNow } = windows
      if (takeNow === undefined) return consumeEach(scopes, kind, amount, taken)
      for (const scope of scopes) {
        const limit = limitOf(scope, kind)
        if (limit === undefined) continue
        const { count, leftMs } = takeNow(scope.keys[kind], amount, limit)
        if (count > limit) return taken.exceeds(scope, { limit, remaining: 0, leftMs })
        taken.from(scope, { limit, remaining: limit - count, leftMs })
      }
      return taken
    }

    const consumeEach = (scopes: ReadonlyArray<Scope>, kind: Kind, amount: number, taken: Taken) =>
      Effect.reduceWhile(scopes, taken, {
        while: ({ exceeded }) => exceeded === undefined,
        body: (taken, scope) => {
          const limit = limitOf(scope, kind)
          return limit === undefined ? Effect.succeed(taken) : consume(scope, kind, amount, limit, taken)
        }
      })

    const consume = (scope: Scope, kind: Kind, amount: number, limit: number, taken: Taken): Effect.Effect<Taken> =>
      limiter.consume({ key: scope.keys[kind], limit, window: minute, tokens: amount }).pipe(
        Effect.map(({ remaining, resetAfter }) =>
          taken.from(scope, { limit, remaining, leftMs: Duration.toMillis(resetAfter) })
        ),
        Effect.catchAll((error) =>
          error.reason === "Exceeded"
            ? Effect.succeed(taken.exceeds(scope, { limit, remaining: 0, leftMs: Duration.toMillis(error.retryAfter) }))
            : // A lost Redis is no reason to serve nobody.
              Effect.map(Effect.logWarning(error.message), () =>
                taken.from(scope, { limit, remaining: limit, leftMs: Duration.toMillis(minute) })
              )
        )
      )

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
      // Tokens are only looked at: what the request will use is not known yet, or it is one that uses none.
      return after(takeEach(scopes, "tokens", 0), (tokens) =>
        after(takeEach(scopes, "requests", 1), (requests) => {
          const nowMs = clock.unsafeCurrentTimeMillis()
          if (tokens.standing !== undefined) writeHeaders(headers, dialect, "tokens", tokens.standing, nowMs)
          if (requests.standing !== undefined) writeHeaders(headers, dialect, "requests", requests.standing, nowMs)
          return requests.refusal("requests", 1) ?? Effect.void
        })
      )
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
      const tokensTaken = new Taken()
      const correct = (tokens: number): void => {
        for (const scope of tokensTaken.scopes) windows.correct(scope.keys.tokens, tokens, beganMs)
        running.giveBack(permits)
      }
      const taking = after(takeEach([model], "requests", 1), (requests) =>
        after(
          requests.exceeded === undefined ? takeEach(counted, "tokens", reserved, tokensTaken) : tokensTaken,
          (tokens) => {
            const refusal = requests.refusal("requests", 1) ?? tokens.refusal("tokens", reserved)
            if (refusal !== undefined) {
              correct(-reserved)
              return refusal
            }
            if (tokens.standing !== undefined) {
              writeHeaders(headers, dialectOf(headers), "tokens", tokens.standing, beganMs)
            }
            return Effect.succeed<Admission>({ done: (used) => correct(used - reserved) })
          }
        )
      )
      return exitOf(taking) !== undefined
        ? taking
        : // A refusal has given back already.
          Effect.onError(taking, (cause) => Effect.sync(() => Cause.isFailure(cause) || correct(-reserved)))
    }

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

const tooMany = (scope: Scope, standing: Standing, kind: Kind, amount: number) =>
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
