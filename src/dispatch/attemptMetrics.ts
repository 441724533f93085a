import type { Metrics } from "../telemetry/Metrics.ts"
import type { Distribution, Series } from "../telemetry/Registry.ts"

/** Counts calls to upstreams and retries. */
export const attemptMetrics = (metrics: Metrics) => {
  const known = new Map<string, Calls>()
  const callsOf = (upstream: string): Calls => {
    let calls = known.get(upstream)
    if (calls === undefined) known.set(upstream, (calls = new Calls(metrics, upstream)))
    return calls
  }
  return {
    attempted: (upstream: string, status: AttemptStatus, millis: number): void => callsOf(upstream).add(status, millis),
    broke: (upstream: string): void => metrics.attemptsBroken.of(upstream).add(1),
    again: (upstream: string, how: "again" | "elsewhere"): void => metrics.upstreamRetries.of(upstream, how).add(1)
  } as const
}

/**
 * The outcome of a call: `hang_up` if the client disconnected first, `outpaced` if another route answered first, undefined
 * if there was no answer.
 */
export type AttemptStatus = number | "hang_up" | "outpaced" | undefined

class Calls {
  readonly #metrics: Metrics
  readonly #upstream: string
  readonly #seconds: Distribution
  readonly #byStatus = new Map<AttemptStatus, Series>()

  constructor(metrics: Metrics, upstream: string) {
    this.#metrics = metrics
    this.#upstream = upstream
    this.#seconds = metrics.attemptSeconds.of(upstream)
  }

  add(status: AttemptStatus, millis: number): void {
    let series = this.#byStatus.get(status)
    if (series === undefined) {
      series = this.#metrics.attempts.of(this.#upstream, String(status ?? "none"))
      this.#byStatus.set(status, series)
    }
    series.add(1)
    this.#seconds.observe(millis / 1_000)
  }
}
