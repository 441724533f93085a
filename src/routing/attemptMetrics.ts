import type { Attempt } from "../contract/records/Attempt.ts"
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
    attempted: (upstream: string, call: Ended, millis: number): void => callsOf(upstream).add(call, millis),
    broke: (upstream: string): void => metrics.attemptsBroken.of(upstream).add(1),
    again: (upstream: string, how: "again" | "elsewhere"): void => metrics.upstreamRetries.of(upstream, how).add(1)
  } as const
}

type Ended = Pick<Attempt, "outcome" | "status" | "calls">

/** The label of calls without an answer. */
const labels = { left: "hang_up", outpaced: "outpaced", stopped: "stopped" } as const

const labelOf = ({ outcome, status }: Ended): string =>
  outcome === "left" || outcome === "outpaced" || outcome === "stopped" ? labels[outcome] : String(status ?? "none")

class Calls {
  readonly #metrics: Metrics
  readonly #upstream: string
  readonly #seconds: Distribution
  readonly #byLabel = new Map<string, Series>()
  readonly #answered: Series

  constructor(metrics: Metrics, upstream: string) {
    this.#metrics = metrics
    this.#upstream = upstream
    this.#seconds = metrics.attemptSeconds.of(upstream)
    this.#answered = this.#seriesOf("200")
  }

  add(call: Ended, millis: number): void {
    const series = call.outcome === "answered" ? this.#answered : this.#seriesOf(labelOf(call))
    series.add(call.calls)
    if (call.outcome === "answered") this.#seconds.observe(millis / 1_000)
  }

  #seriesOf(label: string): Series {
    let series = this.#byLabel.get(label)
    if (series === undefined) this.#byLabel.set(label, (series = this.#metrics.attempts.of(this.#upstream, label)))
    return series
  }
}
