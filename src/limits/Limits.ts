import * as RateLimiter from "@effect/experimental/RateLimiter"
import { Cause, Duration, Effect, Layer } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { runFutureUninterruptible } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import { RateLimited } from "../contract/failures/Failure.ts"
import type { Admitted, Standing } from "../contract/callers/Standing.ts"
import { testDouble } from "../contract/testDouble.ts"
import { isRated, limitOf, planOf, scopesOf } from "./plan.ts"
import type { Kind, Limited, Plan, Scope } from "./plan.ts"
import { SharedPermits } from "./SharedPermits.ts"
import { SharedRedis } from "./SharedRedis.ts"
import { rateLimiter, Windows } from "./Windows.ts"

/** For callers without rate limits. */
export const uncounted = Future.succeed<Admitted>({ requests: undefined, tokens: undefined, refusal: undefined })

/** A running request within its limits. */
export interface Admission {
  /** The caller's standing after its tokens were reserved; undefined without a token limit. */
  readonly tokens: Standing | undefined
  /** Called at the end, with the tokens used. */
  readonly done: (tokens: number) => void
}

/** The counts taken for a request's scopes. */
class Taken {
  readonly scopes: Array<Scope> = []
  /** The exhausted limit, otherwise the one with the least left. */
  standing: Standing | undefined
  exceeded: Scope | undefined

  from(scope: Scope, standing: Standing): this {
    this.scopes.push(scope)
    if (this.standing === undefined || standing.left < this.standing.left) this.standing = standing
    return this
  }

  exceeds(scope: Scope, standing: Standing): this {
    this.exceeded = scope
    this.standing = standing
    return this
  }

  refusal(kind: Kind, amount: number): RateLimited | undefined {
    const { exceeded, standing } = this
    if (exceeded === undefined || standing === undefined) return undefined
    return tooMany(exceeded, standing, kind, amount)
  }
}

/** Continues with the counts, synchronously if they are known. */
const after = <A, E>(taken: Taken | Future<Taken>, next: (taken: Taken) => Future<A, E>): Future<A, E> =>
  taken instanceof Taken ? next(taken) : taken.flatMap(next)

const minute = Duration.minutes(1)
const withoutLimits = Future.succeed<Admission>({ tokens: undefined, done: () => {} })

/**
 * Limits of requests and tokens per minute and of concurrent requests, for the key, its account and the model. A request's
 * tokens count in the minute in which it began.
 */
export class Limits extends Effect.Service<Limits>()("gateway/limits/Limits", {
  dependencies: [
    rateLimiter.pipe(
      Layer.provideMerge(Layer.merge(Windows.layer, SharedPermits.layer)),
      Layer.provide(SharedRedis.layer)
    )
  ],
  effect: Effect.gen(function* () {
    const limiter = yield* RateLimiter.RateLimiter
    const windows = yield* Windows
    const clock = yield* Effect.clock
    const runtime = yield* Effect.runtime()
    const running = yield* SharedPermits

    /**
     * Takes an amount from each scope with such a limit, up to the first exhausted one. Local counts use plain calls,
     * because effects would cost more than the counting.
     */
    const takeEach = (
      scopes: ReadonlyArray<Scope>,
      kind: Kind,
      amount: number,
      taken = new Taken()
    ): Taken | Future<Taken> => {
      const { takeNow } = windows
      if (takeNow === undefined) return runFutureUninterruptible(runtime, consumeEach(scopes, kind, amount, taken))
      const atMs = clock.unsafeCurrentTimeMillis()
      for (const scope of scopes) {
        const limit = limitOf(scope, kind)
        if (limit === undefined) continue
        const { count, leftMs: resetMs } = takeNow(scope.keys[kind], amount, limit)
        if (count > limit) return taken.exceeds(scope, { limit, left: 0, resetMs, atMs })
        taken.from(scope, { limit, left: limit - count, resetMs, atMs })
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
          taken.from(scope, standingOf(limit, Math.max(0, remaining), resetAfter))
        ),
        Effect.catchAll((error) =>
          error.reason === "Exceeded"
            ? Effect.succeed(taken.exceeds(scope, standingOf(limit, 0, error.retryAfter)))
            : Effect.die(error)
        )
      )

    const standingOf = (limit: number, left: number, reset: Duration.Duration): Standing => ({
      limit,
      left,
      resetMs: Duration.toMillis(reset),
      atMs: clock.unsafeCurrentTimeMillis()
    })

    /** Counts one request of the caller against its limits. */
    const admit = (caller: Caller): Future<Admitted> => {
      if (!isRated(caller.keyLimits) && !isRated(caller.accountLimits)) return uncounted
      const scopes = scopesOf(caller)
      // Only reads the token counts: the request's use is not known yet.
      return after(takeEach(scopes, "tokens", 0), (tokens) =>
        after(takeEach(scopes, "requests", 1), (requests) =>
          Future.succeed<Admitted>({
            requests: requests.standing,
            tokens: tokens.standing,
            refusal: requests.refusal("requests", 1)
          })
        )
      )
    }

    /**
     * Admits a request for a model: takes a permit for each concurrency limit, and reserves tokens.
     *
     * @param tokens computes the most tokens it may use; called only if tokens are limited
     */
    const begin = (caller: Caller, model: Limited, tokens: () => number): Future<Admission, RateLimited> => {
      const plan = planOf(caller, model)
      return plan.isBounded ? beginWithin(plan, tokens) : withoutLimits
    }

    const beginWithin = (plan: Plan, tokens: () => number): Future<Admission, RateLimited> => {
      const { permits } = plan
      const full = running.take(permits)
      if (full !== undefined) return Future.fail(allBusy(full))
      const { takeOfAll } = running
      if (takeOfAll === undefined || permits.length === 0) return permit(plan, tokens)
      return runFutureUninterruptible(runtime, takeOfAll(permits)).flatMap((full) => {
        if (full === undefined) return permit(plan, tokens)
        running.giveBack(permits)
        return Future.fail(allBusy(full))
      })
    }

    /** Reserves tokens for a request that has its permits. */
    const permit = (
      { counted, isToldTokens, model, permits }: Plan,
      tokens: () => number
    ): Future<Admission, RateLimited> => {
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
              return Future.fail(refusal)
            }
            return Future.succeed<Admission>({
              tokens: isToldTokens ? tokens.standing : undefined,
              done: (used) => correct(used - reserved)
            })
          }
        )
      )
      if (taking.settled !== undefined) return taking
      return taking.matchCause({
        onSuccess: (admission) => Future.succeed(admission),
        onFailure: (cause) => {
          // A refusal has already released its reservation.
          if (!Cause.isFailure(cause)) correct(-reserved)
          return Future.failCause(cause)
        }
      })
    }

    return {
      admit,
      begin,
      /** The place where limits are counted. */
      countedWhere: windows.where
    } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<Limits, "_tag">>) => testDouble(Limits, given)
}

const tooMany = (scope: Scope, standing: Standing, kind: Kind, amount: number) =>
  amount > standing.limit
    ? new RateLimited({
        message: `Too many tokens: the request may use ${amount}, and ${scope.who} has ${standing.limit} a minute; ask for fewer output tokens`,
        retryAfterSeconds: null
      })
    : new RateLimited({
        message: `Too many ${kind}: ${scope.who} has ${standing.limit} a minute`,
        retryAfterSeconds: standing.resetMs / 1_000
      })

const allBusy = ({ most, who }: { readonly who: string; readonly most: number }) =>
  new RateLimited({
    message: `Too many requests at once: ${who} may have ${most} running`,
    // Unknown: when one of them ends.
    retryAfterSeconds: null
  })
