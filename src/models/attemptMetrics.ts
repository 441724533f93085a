import type { Metrics } from "../telemetry/Metrics.ts"
import type { Distribution, Series } from "../telemetry/Registry.ts"

/** Counts calls of upstreams, and those that are made once more. */
export const attemptMetrics = (metrics: Metrics) => {
  const known = new Map<string, Calls>()
  const callsOf = (upstream: string): Calls => {
    let calls = known.get(upstream)
    if (calls === undefined) known.set(upstream, (calls = new Calls(metrics, upstream)))
    return calls
  }
  return {
    /** @param status undefined where no answer came */
    attempted: (upstream: string, status: number | undefined, millis: number): void =>
      callsOf(upstream).add(status, millis),
    broke: (upstream: string): void => metrics.attemptsBroken.of(upstream).add(1),
    again: (upstream: string, how: "again" | "elsewhere"): void => metrics.upstreamRetries.of(upstream, how).add(1)
  } as const
}

class Calls {
  readonly #metrics: Metrics
  readonly #upstream: string
  readonly #seconds: Distribution
  readonly #byStatus = new Map<number, Series>()

  constructor(metrics: Metrics, upstream: string) {
    this.#metrics = metrics
    this.#upstream = upstream
    this.#seconds = metrics.attemptSeconds.of(upstream)
  }

  add(status: number | undefined, millis: number): void {
    const known = status ?? 0
    let series = this.#byStatus.get(known)
    if (series === undefined) {
      series = this.#metrics.attempts.of(this.#upstream, status === undefined ? "none" : String(status))
      this.#byStatus.set(known, series)
    }
    series.add(1)
    this.#seconds.observe(millis / 1_000)
  }
}
