import type { Clock } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** How long a route that did not say how long is left alone at first, and at most, in ms: each time twice as long. */
const firstMs = 1_000
const longestMs = 60_000
/** One that asks us to stay away for longer is asked again after this all the same, in ms. */
const longestToldMs = 600_000
/** How long the others wait for the call that finds out if a route is back, in ms. */
const longestProbeMs = 5_000
/** Cool-downs of single accounts that are remembered. */
const mostOfAccounts = 10_000

interface CoolDown {
  readonly untilMs: number
  /** Failures in a row. */
  readonly failures: number
  /** The error, where it said how long: the route is not asked before. */
  readonly said: UpstreamError | undefined
  /** Until when one call finds out if the route is back: the others ask it last meanwhile. */
  probedUntilMs: number
}

/** Who is asked, and who is not and why. */
export interface Order<R extends Route> {
  readonly ask: ReadonlyArray<R>
  readonly told: ReadonlyArray<RouteFailure<R>>
}

/** What a route said that is not asked for now, as if it said it again. */
export interface RouteFailure<R extends Route = Route> {
  readonly route: R
  readonly error: UpstreamError
}

/**
 * The routes that failed of late. One that said how long it wants to be left alone (`Retry-After`) is not asked
 * meanwhile; one that failed without a word is left alone, longer each time, as long as others are there to ask. What an
 * account's own request may have caused counts for that account alone.
 */
export class RetryAfter {
  readonly #clock: Clock.Clock
  readonly #ofAll = new Map<string, CoolDown>()
  readonly #ofAccounts = new Recent<CoolDown>(mostOfAccounts)

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /** Whom to ask, in this order: those that cool down come last, and those that said how long do not come at all. */
  order<R extends Route>(routes: ReadonlyArray<R>, account: AccountId): Order<R> {
    if (this.#isEmpty) return { ask: routes, told: [] }
    const now = this.#clock.unsafeCurrentTimeMillis()
    const [ready, cooling]: [Array<R>, Array<R>] = [[], []]
    const told: Array<RouteFailure<R>> = []
    for (const route of routes) {
      const known = this.#of(route, account).filter(
        ({ probedUntilMs, untilMs }) => Math.max(untilMs, probedUntilMs) > now
      )
      const silent = known.find(({ said, untilMs }) => said !== undefined && untilMs > now)
      if (known.length === 0) ready.push(route)
      else if (silent?.said === undefined) cooling.push(route)
      else told.push({ route, error: repeated(silent.said, silent.untilMs - now) })
    }
    return { ask: cooling.length === 0 ? ready : [...ready, ...cooling], told }
  }

  /** A call begins; undefined where nothing is known of the route, and so nothing need be told but a failure. */
  asked(route: Route, account: AccountId): Asked | undefined {
    if (this.#isEmpty) return undefined
    const known = this.#of(route, account)
    if (known.length === 0) return undefined
    const probedUntilMs = this.#clock.unsafeCurrentTimeMillis() + longestProbeMs
    for (const coolDown of known) coolDown.probedUntilMs = probedUntilMs
    return {
      answered: () => {
        this.#ofAll.delete(nameOf(route))
        this.#ofAccounts.delete(nameOf(route, account))
      },
      left: () => {
        for (const coolDown of known) coolDown.probedUntilMs = 0
      }
    }
  }

  failed(route: Route, account: AccountId, error: UpstreamError): void {
    if (error.keptBack === true || !isItsOwn(error)) return
    const isOfAll = error.trouble !== undefined
    const coolDowns = isOfAll ? this.#ofAll : this.#ofAccounts
    const name = isOfAll ? nameOf(route) : nameOf(route, account)
    const now = this.#clock.unsafeCurrentTimeMillis()
    const before = coolDowns.get(name)
    const { retryAfterMs = 0 } = error
    const isTold = retryAfterMs > 0
    // Those that were on their way together failed once.
    const failures = before === undefined ? 1 : before.untilMs > now ? before.failures : before.failures + 1
    const backOffMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
    const untilMs = now + (isTold ? Math.min(retryAfterMs, longestToldMs) : backOffMs)
    if (before?.said !== undefined && before.untilMs > untilMs) return
    coolDowns.set(name, { untilMs, failures, said: isTold ? error : undefined, probedUntilMs: 0 })
  }

  get #isEmpty(): boolean {
    return this.#ofAll.size === 0 && this.#ofAccounts.size === 0
  }

  #of(route: Route, account: AccountId): ReadonlyArray<CoolDown> {
    const known = [this.#ofAll.get(nameOf(route)), this.#ofAccounts.get(nameOf(route, account))]
    return known.filter((coolDown) => coolDown !== undefined)
  }
}

interface Asked {
  readonly answered: () => void
  /** It came to nothing that says whether the route is back. */
  readonly left: () => void
}

/** Not what the request is to blame for, nor a model or a file that the route lacks. */
const isItsOwn = ({ failure, retry }: UpstreamError): boolean =>
  retry === "again" || (retry === "elsewhere" && failure._tag === "UpstreamFailed")

const repeated = ({ failure, status }: UpstreamError, retryAfterMs: number): UpstreamError =>
  new UpstreamError({
    failure: until(failure, retryAfterMs / 1_000),
    retry: "again",
    retryAfterMs,
    status,
    keptBack: true
  })

const until = (failure: Failure, seconds: number): Failure => {
  const { message } = failure
  if (failure._tag === "RateLimited") return new RateLimited({ message, retryAfterSeconds: Math.ceil(seconds) })
  return failure._tag === "UpstreamFailed" ? new UpstreamFailed({ message, retryAfterSeconds: seconds }) : failure
}

const nameOf = ({ model, upstream }: Route, account?: AccountId): string =>
  account === undefined ? `${upstream}\n${model}` : `${upstream}\n${model}\n${account}`
