import { Effect } from "effect"
import { isFailedCall } from "../contract/records/CallOutcome.ts"
import type { Attempt } from "../contract/records/Attempt.ts"
import { LastMinute } from "./LastMinute.ts"
import { RouteTimes } from "./RouteTimes.ts"
import { SeenRefusals } from "./SeenRefusals.ts"
import { SeenTiers } from "./SeenTiers.ts"
import { StickyRoutes } from "./StickyRoutes.ts"

/** The number of remembered answer times. */
const remembered = 200

interface Failed {
  readonly atMs: number
  readonly status: number | undefined
  readonly message: string
}

/** A call that has ended, or begun to answer. */
interface EndedCall extends Pick<Attempt, "outcome" | "calls" | "status" | "error"> {
  readonly tookMs: number
}

/**
 * Outcomes of the calls to one upstream since the process started. Recording one is a plain call, cheap enough for the
 * hot path.
 */
export class CallsOfOne {
  calls = 0
  answers = 0
  failures = 0
  outpaced = 0
  lastAnswerMs: number | undefined
  lastFailure: Failed | undefined
  readonly lastMinute = new LastMinute()
  readonly #took = new Float64Array(remembered)

  ended(call: EndedCall, nowMs: number): void {
    const { calls, error = "", outcome, status, tookMs } = call
    this.calls += calls
    this.lastMinute.ended(call, nowMs)
    if (outcome === "answered") {
      this.#took[this.answers++ % remembered] = tookMs
      this.lastAnswerMs = nowMs
    } else if (outcome === "outpaced") this.outpaced += calls
    else if (isFailedCall(outcome)) this.#failed({ atMs: nowMs, status, message: error })
  }

  /** A call that had begun to answer failed after all. */
  brokeOff(message: string, nowMs: number): void {
    this.lastMinute.brokeOff(nowMs)
    this.#failed({ atMs: nowMs, status: 200, message })
  }

  #failed(failed: Failed): void {
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
    const of = (upstream: string): CallsOfOne => {
      let calls = all.get(upstream)
      if (calls === undefined) all.set(upstream, (calls = new CallsOfOne()))
      return calls
    }
    return {
      /** Times by route, of models that prefer the fastest. */
      times: new RouteTimes(),
      /** Routes by conversation, of models that are sticky. */
      sticky: new StickyRoutes(),
      /** Tiers at which keys answered unasked. */
      tiers: new SeenTiers(),
      /** Fields that upstreams refused although the gateway sends them there. */
      refusals: new SeenRefusals(),
      of,
      /** Those of an upstream's videos. */
      ofVideos: (upstream: string): CallsOfOne => of(`video:${upstream}`)
    }
  }
}) {}
