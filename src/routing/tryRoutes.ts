import { Cause, Duration, Effect, Option, Schedule } from "effect"
import type { Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import { toEffect } from "../flow/toEffect.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Generation } from "../generation/Generation.ts"
import { isOfKey } from "../upstreams/UpstreamError.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { hedgedCall } from "./hedgedCall.ts"
import { isDearer } from "./Lane.ts"
import type { Requester } from "./Lane.ts"
import type { RetryAfter, RouteFailure } from "./RetryAfter.ts"
import { isSameRoute } from "./Route.ts"
import type { Route } from "./Route.ts"

/** The longest delay that an upstream may ask for before a retry on it, in ms. */
const longestWaitMs = 5_000

/**
 * Two more tries on an upstream, after about 0.2 and 0.4 s or at its `Retry-After` deadline, begun within 10 s of the
 * first. Jitter spreads calls that failed together.
 */
const backOff = Schedule.exponential("200 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(2)),
  Schedule.intersect(Schedule.elapsed.pipe(Schedule.whileOutput(Duration.lessThan("10 seconds")))),
  Schedule.zipRight(Schedule.identity<UpstreamError>()),
  Schedule.modifyDelay((error, delay) => Duration.max(delay, error.retryAfterMs ?? 0))
)

/** Calls a route. `isLast`: at most another key of it is left to try at once. */
type Call<R extends Route> = (route: R, isLast: boolean) => Future<Generation, Failure | UpstreamError>

/** Observes failures. */
export interface Watcher {
  readonly failed: (upstream: string, error: UpstreamError) => void
  readonly again: (upstream: string, how: "again" | "elsewhere") => void
  /** The error that the caller sees after the last route, with its upstream. */
  readonly refused: (upstream: string, error: UpstreamError) => void
}

const noWatcher: Watcher = { failed: () => {}, again: () => {}, refused: () => {} }

/** A second call beside one that is silent. Its own calls and observer: both run at once. */
export interface Hedge<R extends Route> {
  readonly afterMs: number
  readonly call: Call<R>
  readonly watcher: Watcher
  /** The outcome of one call decides: the first or the second. */
  readonly won: (by: "first" | "second") => void
}

export interface Routing {
  /** The runtime for the delays. */
  readonly runtime: Runtime.Runtime<never>
  readonly coolDowns: RetryAfter
  /** True if another model answers if all routes fail, so that no limited route is waited for. Defaults to false. */
  readonly hasFallback?: boolean
}

/**
 * Tries a model's routes in order until one accepts the requester's call. A failed route is followed by the next one at
 * once and moves to the end for a while. If all fail, the one that is back first is tried again. A failed call has
 * generated nothing, so no retry can follow a byte of an answer.
 *
 * @param hedge the second route is asked too if the first is silent for a while; the slower of the two is cancelled
 */
export const tryRoutes = <R extends Route>(
  { coolDowns: retryAfter, hasFallback = false, runtime }: Routing,
  requester: Requester<R>,
  routes: ReadonlyArray<R>,
  call: Call<R>,
  watcher: Watcher = noWatcher,
  hedge?: Hedge<R>
): Future<Generation, Failure> => {
  const { ask: ordered, skipped } = retryAfter.order(routes, requester, hasFallback)
  const ask = skipped.length === 0 ? ordered : ordered.filter((route) => !isLost(requester, route, skipped))
  const attempt = reporting(call, requester, retryAfter, watcher)
  const second = hedge && { ...hedge, attempt: reporting(hedge.call, requester, retryAfter, hedge.watcher) }
  const isLast = ({ retry }: UpstreamError) => retry === "never" || requester.isLeft === true
  const from = (
    index: number,
    failed: ReadonlyArray<RouteFailure<R>>,
    isHedged = false
  ): Future<Generation, Failure> => {
    const route = ask[index]
    if (route === undefined)
      return again({ hasFallback, requester, runtime }, [...skipped, ...failed], attempt, watcher)
    if (index > 0) watcher.again(route.upstream, "elsewhere")
    const isLastAt = (place: number, one: R) =>
      ask.length === place + 1 || !ask.some((other, at) => at > place && !isSameRoute(other, one))
    const first = () => attempt(route, isLastAt(index, route))
    const next = (failures: ReadonlyArray<RouteFailure<R>>, hasHedged = isHedged) => {
      const all = [...failed, ...failures]
      const isTried = (other: R) => all.some((failure) => failure.route === other)
      const at = ask.findIndex((other, at) => at > index && !isTried(other) && !isLost(requester, other, all))
      return from(at === -1 ? ask.length : at, all, hasHedged)
    }
    const place =
      second === undefined || isHedged ? -1 : ask.findIndex((one, at) => at > index && !isSameRoute(one, route))
    const other = ask[place]
    if (second === undefined || other === undefined) {
      return first().catchAll((error) => {
        if (error._tag !== "UpstreamError") return Future.fail(error)
        const failure = { route, error }
        return isLast(error) ? Future.fail(refuse(watcher, failure)) : next([failure])
      })
    }
    return hedgedCall({
      runtime,
      after: second.afterMs,
      first,
      second: () => second.attempt(other, isLastAt(place, other)),
      isFinal: (cause) => !isPassing(cause),
      isWanted: () => requester.isLeft !== true,
      won: second.won,
      lost: (generation) => generation.cancel("failed")
    }).flatMap((outcome) => {
      if ("answer" in outcome) return Future.succeed(outcome.answer)
      const [first, also] = [failureOf(route, outcome.first), outcome.second && failureOf(other, outcome.second)]
      if (first === undefined) return Future.failCause(outcome.first).catchAll(failWith)
      if (isLast(first.error)) return Future.fail(refuse(watcher, first))
      if (outcome.second === undefined) return next([first])
      if (also === undefined) return Future.failCause(outcome.second).catchAll(failWith)
      return isLast(also.error) ? Future.fail(refuse(second.watcher, also)) : next([first, also], true)
    })
  }
  return from(0, [])
}

const failWith = (error: Failure | UpstreamError) => Future.fail(error._tag === "UpstreamError" ? error.failure : error)

/** The failure of an upstream; undefined for one of the gateway itself, and for interruptions and defects. */
const failureOf = <R extends Route>(
  route: R,
  cause: Cause.Cause<Failure | UpstreamError>
): RouteFailure<R> | undefined => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  return error?._tag === "UpstreamError" ? { route, error } : undefined
}

/** True if another route may succeed. */
const isPassing = (cause: Cause.Cause<Failure | UpstreamError>): boolean => {
  const error = Option.getOrUndefined(Cause.failureOption(cause))
  return error?._tag === "UpstreamError" && error.retry !== "never"
}

/**
 * True if another route is not asked after a failure: it is the same but for the key, and the failure does not concern
 * the key; or it would serve a flex request at a dearer tier, after a full one.
 */
export const fails = <R extends Route>(requester: Requester<R>, other: R, { error, route }: RouteFailure<R>): boolean =>
  (route.key !== undefined && isSameRoute(other, route) && !isOfKey(error)) ||
  (error.rests !== undefined && error.rests !== "nothing" && isDearer(requester, other, route))

const isLost = <R extends Route>(
  requester: Requester<R>,
  route: R,
  failures: ReadonlyArray<RouteFailure<R>>
): boolean => failures.some((failure) => fails(requester, route, failure))

/** A call that reports its outcome to the route's state. */
const reporting =
  <R extends Route>(call: Call<R>, requester: Requester<R>, retryAfter: RetryAfter, watcher: Watcher): Call<R> =>
  (route, isLast) => {
    const routeCall = retryAfter.begin(route, requester)
    const failed = (error: Failure | UpstreamError) => {
      if (error._tag === "UpstreamError") {
        watcher.failed(route.upstream, error)
        retryAfter.recordFailure(route, requester, error)
      }
      return Future.fail(error)
    }
    if (routeCall === undefined) return call(route, isLast).catchAll(failed)
    return Future.attempt(() => call(route, isLast)).matchCause({
      onSuccess: (generation) => {
        routeCall.answered()
        return Future.succeed(generation)
      },
      onFailure: (cause) => {
        routeCall.left()
        return Future.failCause(cause).catchAll(failed)
      }
    })
  }

/** After all routes failed, retries the one that is back first, as long as a retry makes sense. */
const again = <R extends Route>(
  {
    hasFallback,
    requester,
    runtime
  }: Required<Pick<Routing, "hasFallback" | "runtime">> & {
    readonly requester: Requester<R>
  },
  failed: ReadonlyArray<RouteFailure<R>>,
  attempt: Call<R>,
  watcher: Watcher
): Future<Generation, Failure> => {
  const isRefused = failed.some(({ error }) => hasReason(error.failure))
  const soonest = failed
    .filter(({ error }) => !isRefused && mayPass(error, hasFallback))
    .reduce<RouteFailure<R> | undefined>(sooner, undefined)
  if (soonest === undefined) {
    const last = mostUseful(failed)
    return last === undefined ? Future.die(new Error("a model without routes")) : Future.fail(refuse(watcher, last))
  }
  const { error: first, route } = soonest
  const calling = toEffect(
    () => attempt(route, true),
    (generation) => generation.cancel()
  )
  const others = failed.filter((failure) => failure !== soonest)
  const trying = Effect.flatMap(Schedule.driver(backOff), (driver) => {
    const after = (error: UpstreamError): Effect.Effect<Generation, Failure> =>
      Effect.matchEffect(driver.next(error), {
        onFailure: () => givenUp(error),
        onSuccess: () => {
          watcher.again(route.upstream, "again")
          return Effect.catchAll(calling, (next) => {
            if (next._tag !== "UpstreamError") return Effect.fail(next)
            return requester.isLeft !== true && mayPass(next, hasFallback) ? after(next) : givenUp(next)
          })
        }
      })
    const givenUp = (error: UpstreamError): Effect.Effect<never, Failure> => {
      const last = { route, error }
      const failure = error.retry === "never" ? last : (mostUseful([...others, last]) ?? last)
      return Effect.fail(refuse(watcher, failure))
    }
    return after(first)
  })
  return runFuture(runtime, trying)
}

/** The failure that the caller sees. */
const refuse = (watcher: Watcher, { error, route }: RouteFailure): Failure => {
  watcher.refused(route.upstream, error)
  return error.failure
}

const sooner = <R extends Route>(one: RouteFailure<R> | undefined, other: RouteFailure<R>): RouteFailure<R> =>
  one !== undefined && (one.error.retryAfterMs ?? 0) < (other.error.retryAfterMs ?? 0) ? one : other

const mayPass = ({ failure, retry, retryAfterMs = 0 }: UpstreamError, hasFallback: boolean): boolean =>
  retry === "again" &&
  (hasFallback ? retryAfterMs === 0 && failure._tag !== "RateLimited" : retryAfterMs <= longestWaitMs)

/** True for a refusal of the input: the caller, or another model, can act on it. */
const hasReason = (failure: Failure): boolean => failure._tag === "InvalidRequest" && failure.reason !== undefined

/**
 * The error to report of several: the refusal of an input that is too long or filtered, otherwise the first one. "Too
 * many requests" only if all routes answered it, then with the earliest deadline.
 */
const mostUseful = (failed: ReadonlyArray<RouteFailure>): RouteFailure | undefined =>
  failed.reduce<RouteFailure | undefined>((earlier, last) => {
    if (earlier === undefined) return last
    const [one, other] = [earlier.error.failure, last.error.failure]
    if (hasReason(one) !== hasReason(other)) return hasReason(one) ? earlier : last
    if (one._tag !== "RateLimited") return earlier
    if (other._tag !== "RateLimited") return last
    return (one.retryAfterSeconds ?? Infinity) <= (other.retryAfterSeconds ?? Infinity) ? earlier : last
  }, undefined)
