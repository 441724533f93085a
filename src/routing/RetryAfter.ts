import type { Clock } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import { RateLimited, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { RestPart } from "../generation/Rest.ts"
import { isOfKey, isUnusable, UpstreamError } from "../upstreams/UpstreamError.ts"
import { isDearer, ownPart } from "./Lane.ts"
import type { Requester } from "./Lane.ts"
import { Rests } from "./Rests.ts"
import type { CoolDown, LastError, Place } from "./Rests.ts"
import { isSameRoute } from "./Route.ts"
import type { Route } from "./Route.ts"

/** The delay of a failed route without a deadline of its own, in ms: it doubles from the first to the longest. */
const firstMs = 1_000
const longestMs = 60_000
/** The longest `Retry-After` that is honoured, in ms. A daily quota may rest for longer. */
const longestRetryAfterMs = 600_000
/** How long other calls wait for a probe of a route, in ms. */
const longestProbeMs = 5_000
/** How often a call may go before a deadline, in ms. */
const probeEveryMs = 30_000

/** The routes to call, and those to skip with the reason. */
export interface Order<R extends Route> {
  readonly ask: ReadonlyArray<R>
  readonly skipped: ReadonlyArray<RouteFailure<R>>
}

/** The last error of a route that is skipped, returned as if the route had answered it again. */
export interface RouteFailure<R extends Route = Route> {
  readonly route: R
  readonly error: UpstreamError
}

/** A route with its recent failures, as they concern a request. */
interface Standing<R extends Route> {
  readonly route: R
  readonly isCooling: boolean
  /** The cool-down whose deadline has not passed. */
  readonly deadline: CoolDown | undefined
  /** True if its key is refused, and no upstream has named a deadline. */
  readonly isRefused: boolean
  readonly mayProbe: boolean
}

/**
 * Recently failed routes, by lane. A refusal for load rests its lane: for the account that met it, from the size of its
 * request on, and for every account once a second one is refused too, or if the upstream says that all are meant. With
 * a `Retry-After` deadline the lane is skipped until then; without one its route moves to the end of the order for a
 * delay that doubles. Any other failure that the account's own request may have caused applies to that account alone.
 */
export class RetryAfter {
  readonly #clock: Clock.Clock
  readonly #rests = new Rests()

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /**
   * The routes to call, in order: those that failed recently come last, those with a `Retry-After` deadline are
   * skipped, but for one call in a while if another route can answer it.
   *
   * @param hasFallback true if another model answers if all routes fail. Otherwise a refused key is called if there is
   *   nothing else to call: only its upstream can tell whether it is good again.
   */
  order<R extends Route>(routes: ReadonlyArray<R>, requester: Requester<R>, hasFallback = false): Order<R> {
    if (this.#rests.isEmpty) return { ask: routes, skipped: [] }
    const now = this.#clock.unsafeCurrentTimeMillis()
    if (this.#rests.isOver(now)) return { ask: routes, skipped: [] }
    const standings = routes.map((route) => this.#standing(route, requester, now))
    const hasOther = (route: R): boolean =>
      standings.some(
        ({ deadline, route: other }) =>
          deadline === undefined && !isSameRoute(other, route) && !isDearer(requester, other, route)
      )
    const [ready, cooling]: [Array<R>, Array<R>] = [[], []]
    const skipped: Array<RouteFailure<R>> = []
    for (const { deadline, isCooling, mayProbe, route } of standings) {
      if (deadline?.lastError !== undefined && !(mayProbe && hasOther(route))) {
        skipped.push({ route, error: repeated(deadline.lastError, deadline.untilMs - now) })
      } else if (deadline === undefined && isCooling) cooling.push(route)
      else ready.push(route)
    }
    const ask = cooling.length === 0 ? ready : [...ready, ...cooling]
    if (ask.length > 0 || hasFallback) return { ask, skipped }
    const only = standings.find(({ isRefused }) => isRefused)
    return only === undefined
      ? { ask, skipped }
      : { ask: [only.route], skipped: skipped.filter(({ route }) => route !== only.route) }
  }

  /** Begins a call. Undefined if the route has no recent failures: then only a failure has to be reported. */
  begin<R extends Route>(route: R, requester: Requester<R>): RouteCall | undefined {
    if (this.#rests.isEmpty) return undefined
    const now = this.#clock.unsafeCurrentTimeMillis()
    const concern = this.#rests.of(route, requester, now)
    if (concern === undefined) return undefined
    const { clear, coolDowns } = concern
    for (const coolDown of coolDowns) {
      coolDown.probedUntilMs = now + longestProbeMs
      coolDown.nextProbeMs = now + probeEveryMs
    }
    return {
      answered: clear,
      left: () => {
        for (const coolDown of coolDowns) coolDown.probedUntilMs = 0
      }
    }
  }

  recordFailure<R extends Route>(route: R, requester: Requester<R>, error: UpstreamError): void {
    if (error.keptBack === true || error.rests === "nothing" || !isItsOwn(error)) return
    const { account } = requester
    const now = this.#clock.unsafeCurrentTimeMillis()
    const failing: Route = isOfKey(error) ? route : { ...route, key: undefined }
    const lane = requester.laneAt(route)
    const closed = closedBy(error)
    const part = ownPart(closed.part, lane)
    const place = this.#rests.placeOf(failing, part ?? "lane", lane)
    const isSkipped = hasDeadline(error) || (route.key !== undefined && isUnusable(error))
    const rest = { place, error: isSkipped ? lastErrorOf(error) : undefined, forMs: delayOf(error), now }
    if (closed.who === "all" && part !== undefined) return void this.#rest(rest)
    const size = closed.isBySize ? lane.size() : 0
    const untilMs = this.#rest(rest, account, size)
    if (closed.who === "one") return
    const confirmed = this.#rests.confirm(place, account, size, untilMs, now)
    if (confirmed !== undefined) this.#rest(rest, undefined, confirmed)
  }

  /** Returns its end. */
  #rest({ error, forMs, now, place }: Failed, account?: AccountId, size = 0): number {
    const before = this.#rests.get(place, account)
    const isResting = before !== undefined && before.untilMs > now
    // Concurrent calls that fail together count once.
    const failures = before === undefined ? 1 : isResting ? before.failures : before.failures + 1
    const untilMs = now + (forMs ?? Math.min(firstMs * 2 ** (failures - 1), longestMs))
    const atLeast = isResting ? Math.min(before.atLeast, size) : size
    const isLonger = before?.lastError !== undefined && before.untilMs > untilMs
    const coolDown = isLonger
      ? { ...before, atLeast }
      : { untilMs, failures, lastError: error, atLeast, probedUntilMs: 0, nextProbeMs: now + probeEveryMs }
    this.#rests.set(place, account, coolDown)
    return coolDown.untilMs
  }

  #standing<R extends Route>(route: R, requester: Requester<R>, now: number): Standing<R> {
    const active = this.#rests
      .of(route, requester, now)
      ?.coolDowns.filter(({ probedUntilMs, untilMs }) => Math.max(untilMs, probedUntilMs) > now)
    if (active === undefined || active.length === 0) {
      return { route, isCooling: false, deadline: undefined, isRefused: false, mayProbe: false }
    }
    const deadlines = active.filter(({ lastError, untilMs }) => lastError !== undefined && untilMs > now)
    return {
      route,
      isCooling: true,
      deadline: deadlines[0],
      isRefused: deadlines.length > 0 && deadlines.every(({ lastError }) => lastError?.hasDeadline === false),
      mayProbe: deadlines.every(({ nextProbeMs }) => nextProbeMs <= now)
    }
  }
}

/** A failure at its place. */
interface Failed {
  readonly place: Place
  /** The error, if the place is not called again before the end. */
  readonly error: LastError | undefined
  /** The delay that the upstream asked for, in ms. */
  readonly forMs: number | undefined
  readonly now: number
}

interface RouteCall {
  readonly answered: () => void
  /** The call gave no information about the route. */
  readonly left: () => void
}

/** The part that a failure closes, and for whom: every account, the one that met it, or that one until a second one meets it. */
interface Closed {
  readonly part: RestPart
  readonly who: "all" | "one" | "second"
  /** True if a smaller request may pass. */
  readonly isBySize: boolean
}

const closedBy = ({ neverSent, rests, trouble }: UpstreamError): Closed => {
  if (rests !== undefined && rests !== "nothing") {
    return { part: rests.part, who: rests.isOfAll === true ? "all" : "second", isBySize: true }
  }
  switch (trouble) {
    case undefined:
      return { part: "lane", who: "one", isBySize: false }
    case "saturated":
      return { part: "lane", who: "second", isBySize: true }
    case "refused-key":
      // A provider also refuses the key for what the request asks of it.
      return { part: "model", who: neverSent === true ? "all" : "second", isBySize: false }
    case "empty-account":
    case "unreachable":
      return { part: "model", who: "all", isBySize: false }
  }
}

/** The delay that the upstream asked for, in ms; undefined if it gave none. */
const delayOf = ({ rests, retryAfterMs = 0 }: UpstreamError): number | undefined => {
  if (retryAfterMs <= 0) return undefined
  const isQuota = rests !== undefined && rests !== "nothing" && rests.forMs !== undefined
  return isQuota ? retryAfterMs : Math.min(retryAfterMs, longestRetryAfterMs)
}

const hasDeadline = ({ retryAfterMs = 0 }: Pick<UpstreamError, "retryAfterMs">): boolean => retryAfterMs > 0

/** False for failures caused by the request, or by a model or a file that the route lacks. */
const isItsOwn = ({ failure, rests, retry }: UpstreamError): boolean =>
  retry === "again" ||
  (retry === "elsewhere" &&
    (failure._tag === "UpstreamFailed" || (failure._tag === "RateLimited" && rests !== undefined)))

const lastErrorOf = (error: UpstreamError): LastError => {
  const { failure, rests, status, trouble } = error
  const neverFits = failure._tag === "RateLimited" && failure.neverFits === true
  const tag = failure._tag === "RateLimited" ? failure._tag : "UpstreamFailed"
  return { tag, message: failure.message, neverFits, hasDeadline: hasDeadline(error), status, trouble, rests }
}

const repeated = (last: LastError, retryAfterMs: number): UpstreamError => {
  const { rests, status, trouble } = last
  const retry = isUnusable(last) ? "elsewhere" : "again"
  return new UpstreamError({
    failure: told(last, retryAfterMs),
    retry,
    retryAfterMs,
    status,
    trouble,
    rests,
    keptBack: true
  })
}

const told = ({ message, neverFits, tag }: LastError, retryAfterMs: number): Failure => {
  if (neverFits) return new RateLimited({ message, retryAfterSeconds: null, neverFits: true })
  const seconds = retryAfterMs / 1_000
  return tag === "RateLimited"
    ? new RateLimited({ message, retryAfterSeconds: Math.ceil(seconds) })
    : new UpstreamFailed({ message, retryAfterSeconds: seconds })
}
