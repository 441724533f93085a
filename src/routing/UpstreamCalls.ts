import { Effect } from "effect"
import { RouteTimes } from "./RouteTimes.ts"
import { StickyRoutes } from "./StickyRoutes.ts"

/** The number of remembered answer times. */
const remembered = 200

interface Failed {
  readonly atMs: number
  readonly status: number | undefined
  readonly message: string
}

/**
 * Outcomes of the calls to one upstream since the process started. Recording one is a plain call, cheap enough for the
 * hot path.
 */
export class CallsOfOne {
  answers = 0
  failures = 0
  lastAnswerMs: number | undefined
  lastFailure: Failed | undefined
  readonly #took = new Float64Array(remembered)

  answered(tookMs: number, nowMs: number): void {
    this.#took[this.answers++ % remembered] = tookMs
    this.lastAnswerMs = nowMs
  }

  failed(failed: Failed): void {
    this.failures++
    this.lastFailure = failed
  }

  /** The median and the 95th percentile of recent times to the first byte, in ms. */
  latency(): { readonly p50: number; readonly p95: number } | undefined {
    if (this.answers === 0) return undefined
    const sorted = this.#took.slice(0, Math.min(this.answers, remembered)).sort()
    const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0)
    return { p50: at(0.5), p95: at(0.95) }
  }
}

/** Outcomes of this process's calls, by upstream. */
export class UpstreamCalls extends Effect.Service<UpstreamCalls>()("gateway/routing/UpstreamCalls", {
  sync: () => {
    const all = new Map<string, CallsOfOne>()
    return {
      /** Times by route, of models that prefer the fastest. */
      times: new RouteTimes(),
      /** Routes by conversation, of models that are sticky. */
      sticky: new StickyRoutes(),
      of: (upstream: string): CallsOfOne => {
        let calls = all.get(upstream)
        if (calls === undefined) all.set(upstream, (calls = new CallsOfOne()))
        return calls
      }
    }
  }
}) {}
