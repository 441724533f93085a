import { Effect } from "effect"

/** Answers whose times are remembered. */
const remembered = 200

interface Failed {
  readonly atMs: number
  readonly status: number | undefined
  readonly message: string
}

/** How the calls to one upstream went, since the process began. Noting one is a plain call, as the hot path can afford it. */
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

  /** How long the last answers took to begin, in ms: half of them less than the first, 95 of 100 less than the second. */
  latency(): { readonly p50: number; readonly p95: number } | undefined {
    if (this.answers === 0) return undefined
    const sorted = this.#took.slice(0, Math.min(this.answers, remembered)).sort()
    const at = (part: number) => Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0)
    return { p50: at(0.5), p95: at(0.95) }
  }
}

/** How the calls of this process went, by upstream. */
export class UpstreamCalls extends Effect.Service<UpstreamCalls>()("gateway/routing/UpstreamCalls", {
  sync: () => {
    const all = new Map<string, CallsOfOne>()
    return {
      of: (upstream: string): CallsOfOne => {
        let calls = all.get(upstream)
        if (calls === undefined) all.set(upstream, (calls = new CallsOfOne()))
        return calls
      }
    }
  }
}) {}
