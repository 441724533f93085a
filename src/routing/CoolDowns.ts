import type { Clock } from "effect"
import { RateLimited, UpstreamFailed } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import type { Route } from "./Route.ts"

/** How long a route that did not say how long is left alone at first, and at most, in ms: each time twice as long. */
const firstMs = 1_000
const longestMs = 60_000
/** One that asks us to stay away for longer is asked again after this all the same, in ms. */
const longestToldMs = 600_000

interface CoolDown {
  readonly untilMs: number
  /** Failures in a row. */
  readonly failures: number
  /** What it said where it said how long: nobody asks it before. */
  readonly said: UpstreamError | undefined
  /** Whether one call finds out if it is back; the others leave it alone that long, where they can. */
  isProbed: boolean
}

/** Who is asked, and who is not and why. */
export interface Order {
  readonly ask: ReadonlyArray<Route>
  readonly told: ReadonlyArray<Told>
}

/** What a route said that is not asked for now, as if it said it again. */
export interface Told {
  readonly route: Route
  readonly error: UpstreamError
}

/**
 * The routes that failed of late. One that said how long it wants to be left alone (`Retry-After`) is not asked
 * meanwhile; one that failed without a word is left alone, longer each time, as long as others are there to ask.
 */
export class CoolDowns {
  readonly #clock: Clock.Clock
  readonly #routes = new Map<string, CoolDown>()

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /** Whom to ask, in this order: those that cool down come last, and those that said how long do not come at all. */
  order(routes: ReadonlyArray<Route>): Order {
    if (this.#routes.size === 0) return { ask: routes, told: [] }
    const now = this.#clock.unsafeCurrentTimeMillis()
    const [ready, cooling]: [Array<Route>, Array<Route>] = [[], []]
    const told: Array<Told> = []
    for (const route of routes) {
      const coolDown = this.#routes.get(nameOf(route))
      if (coolDown === undefined || (coolDown.untilMs <= now && !coolDown.isProbed)) ready.push(route)
      else if (coolDown.untilMs <= now || coolDown.said === undefined) cooling.push(route)
      else told.push({ route, error: repeated(coolDown.said, coolDown.untilMs - now) })
    }
    return { ask: cooling.length === 0 ? ready : [...ready, ...cooling], told }
  }

  /** A call begins; undefined where nothing is known of the route, and so nothing need be told but a failure. */
  asked(route: Route): Asked | undefined {
    const coolDown = this.#routes.size === 0 ? undefined : this.#routes.get(nameOf(route))
    if (coolDown === undefined) return undefined
    coolDown.isProbed = true
    return {
      answered: () => void this.#routes.delete(nameOf(route)),
      left: () => {
        coolDown.isProbed = false
      }
    }
  }

  failed(route: Route, error: UpstreamError): void {
    if (error.keptBack === true || !isItsOwn(error)) return
    const name = nameOf(route)
    const now = this.#clock.unsafeCurrentTimeMillis()
    const before = this.#routes.get(name)
    const { retryAfterMs = 0 } = error
    const isTold = retryAfterMs > 0
    // Those that were on their way together failed once.
    const failures = before === undefined ? 1 : before.untilMs > now ? before.failures : before.failures + 1
    const backOffMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
    const untilMs = now + (isTold ? Math.min(retryAfterMs, longestToldMs) : backOffMs)
    if (before?.said !== undefined && before.untilMs > untilMs) return
    this.#routes.set(name, { untilMs, failures, said: isTold ? error : undefined, isProbed: false })
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

const nameOf = ({ model, upstream }: Route): string => `${upstream}\n${model}`
