import { Recent } from "./Recent.ts"
import type { Route } from "./Route.ts"

/** The number of routes to remember, and of answers of each. */
const mostRoutes = 1_000
const mostAnswers = 100
/** How long an answer counts, in ms. A route without one that counts is tried first, so that it is known again. */
const longestMs = 300_000

interface Answer {
  readonly atMs: number
  readonly tookMs: number
}

/** Times to the first byte of a model's routes in the last minutes. */
export class RouteTimes {
  readonly #answers = new Recent<Array<Answer>>(mostRoutes)

  answered(route: Route, tookMs: number, atMs: number): void {
    const name = nameOf(route)
    const answers = this.#answers.get(name)
    if (answers === undefined) return this.#answers.set(name, [{ atMs, tookMs }])
    answers.push({ atMs, tookMs })
    if (answers.length > 2 * mostAnswers) answers.splice(0, answers.length - mostAnswers)
  }

  /** The routes, the fastest first by the median of their times. */
  fastestFirst<R extends Route>(routes: ReadonlyArray<R>, nowMs: number): ReadonlyArray<R> {
    const timed = routes.map((route) => ({ route, ms: this.#medianMs(route, nowMs) }))
    return timed.sort((one, other) => one.ms - other.ms).map(({ route }) => route)
  }

  #medianMs(route: Route, nowMs: number): number {
    const answers = (this.#answers.get(nameOf(route)) ?? []).slice(-mostAnswers)
    const times = answers.filter(({ atMs }) => atMs > nowMs - longestMs).map(({ tookMs }) => tookMs)
    return times.sort((one, other) => one - other)[Math.ceil(times.length / 2) - 1] ?? 0
  }
}

const nameOf = ({ model, upstream }: Route) => `${upstream}/${model}`
