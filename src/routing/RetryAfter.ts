import type { Clock } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { isOfKey, UpstreamError } from "../upstreams/UpstreamError.ts"
import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** The delay of a failed route without a deadline of its own, in ms: it doubles from the first to the longest. */
const firstMs = 1_000
const longestMs = 60_000
/** The longest `Retry-After` that is honoured, in ms. */
const longestRetryAfterMs = 600_000
/** How long other calls wait for a probe of a route, in ms. */
const longestProbeMs = 5_000
/** The most deadlines that are remembered, of routes and of accounts at routes. Wildcards let callers name routes. */
const mostRemembered = 10_000

interface CoolDown {
  readonly untilMs: number
  /** Consecutive failures. */
  readonly failures: number
  /** The error with a deadline (`Retry-After`, or of a key that is refused): the route is not called before it. */
  readonly lastError: UpstreamError | undefined
  /** The end of a probe. Meanwhile other calls try the route last. */
  probedUntilMs: number
}

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

/**
 * Recently failed routes. An upstream's keys fail each for itself where the failure concerns the key. A route with a `Retry-After` deadline is skipped until then. One that failed without a
 * deadline moves to the end of the order for a delay that doubles. A failure that the account's own request may have
 * caused applies to that account alone.
 */
export class RetryAfter {
  readonly #clock: Clock.Clock
  readonly #ofAll = new Recent<CoolDown>(mostRemembered)
  readonly #ofAccounts = new Recent<CoolDown>(mostRemembered)
  /** No route failed recently. */
  #isEmpty = true

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /**
   * The routes to call, in order: those that failed recently come last, those with a `Retry-After` deadline are
   * skipped.
   */
  order<R extends Route>(routes: ReadonlyArray<R>, account: AccountId): Order<R> {
    if (this.#isEmpty) return { ask: routes, skipped: [] }
    const now = this.#clock.unsafeCurrentTimeMillis()
    const [ready, cooling]: [Array<R>, Array<R>] = [[], []]
    const skipped: Array<RouteFailure<R>> = []
    for (const route of routes) {
      const active = this.#of(route, account).filter(
        ({ probedUntilMs, untilMs }) => Math.max(untilMs, probedUntilMs) > now
      )
      const deadline = active.find(({ lastError, untilMs }) => lastError !== undefined && untilMs > now)
      if (active.length === 0) ready.push(route)
      else if (deadline?.lastError === undefined) cooling.push(route)
      else skipped.push({ route, error: repeated(deadline.lastError, deadline.untilMs - now) })
    }
    return { ask: cooling.length === 0 ? ready : [...ready, ...cooling], skipped }
  }

  /** Begins a call. Undefined if the route has no recent failures: then only a failure has to be reported. */
  begin(route: Route, account: AccountId): RouteCall | undefined {
    if (this.#isEmpty) return undefined
    const coolDowns = this.#of(route, account)
    if (coolDowns.length === 0) return undefined
    const probedUntilMs = this.#clock.unsafeCurrentTimeMillis() + longestProbeMs
    for (const coolDown of coolDowns) coolDown.probedUntilMs = probedUntilMs
    return {
      answered: () => {
        for (const name of namesOf(route)) this.#ofAll.delete(name)
        for (const name of namesOf(route, account)) this.#ofAccounts.delete(name)
        this.#isEmpty = this.#ofAll.size === 0 && this.#ofAccounts.size === 0
      },
      left: () => {
        for (const coolDown of coolDowns) coolDown.probedUntilMs = 0
      }
    }
  }

  failed(route: Route, account: AccountId, error: UpstreamError): void {
    if (error.keptBack === true || !isItsOwn(error)) return
    const isOfAll = error.trouble !== undefined
    const coolDowns = isOfAll ? this.#ofAll : this.#ofAccounts
    const failing = isOfKey(error) ? route : { ...route, key: undefined }
    const name = nameOf(failing, isOfAll ? undefined : account)
    const now = this.#clock.unsafeCurrentTimeMillis()
    const before = coolDowns.get(name)
    const { retryAfterMs = 0 } = error
    const hasDeadline = retryAfterMs > 0
    // Concurrent calls that fail together count once.
    const failures = before === undefined ? 1 : before.untilMs > now ? before.failures : before.failures + 1
    const backOffMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
    const untilMs = now + (hasDeadline ? Math.min(retryAfterMs, longestRetryAfterMs) : backOffMs)
    if (before?.lastError !== undefined && before.untilMs > untilMs) return
    const isSkipped = hasDeadline || (route.key !== undefined && isUnusable(error))
    coolDowns.set(name, { untilMs, failures, lastError: isSkipped ? error : undefined, probedUntilMs: 0 })
    this.#isEmpty = false
  }

  #of(route: Route, account: AccountId): ReadonlyArray<CoolDown> {
    const coolDowns = [
      ...namesOf(route).map((name) => this.#ofAll.get(name)),
      ...namesOf(route, account).map((name) => this.#ofAccounts.get(name))
    ]
    return coolDowns.filter((coolDown) => coolDown !== undefined)
  }
}

interface RouteCall {
  readonly answered: () => void
  /** The call gave no information about the route. */
  readonly left: () => void
}

/** A refused key, or one without money, is not called meanwhile; its upstream has others. */
const isUnusable = ({ trouble }: UpstreamError): boolean => trouble === "refused-key" || trouble === "empty-account"

/** False for failures caused by the request, or by a model or a file that the route lacks. */
const isItsOwn = ({ failure, retry }: UpstreamError): boolean =>
  retry === "again" || (retry === "elsewhere" && failure._tag === "UpstreamFailed")

const repeated = (error: UpstreamError, retryAfterMs: number): UpstreamError => {
  const { failure, status } = error
  return new UpstreamError({
    failure: until(failure, retryAfterMs / 1_000),
    retry: isUnusable(error) ? "elsewhere" : "again",
    retryAfterMs,
    status,
    keptBack: true
  })
}

const until = (failure: Failure, seconds: number): Failure => {
  const { message } = failure
  if (failure._tag === "RateLimited") return new RateLimited({ message, retryAfterSeconds: Math.ceil(seconds) })
  return failure._tag === "UpstreamFailed" ? new UpstreamFailed({ message, retryAfterSeconds: seconds }) : failure
}

/** The route has failed with every key, and with its own. */
const namesOf = (route: Route, account?: AccountId): ReadonlyArray<string> =>
  route.key === undefined
    ? [nameOf(route, account)]
    : [nameOf({ ...route, key: undefined }, account), nameOf(route, account)]

const nameOf = ({ key = "", model, upstream }: Named, account: AccountId | undefined): string =>
  `${upstream}\n${model}\n${key}\n${account ?? ""}`

type Named = Pick<Route, "model" | "upstream"> & { readonly key?: string | undefined }
