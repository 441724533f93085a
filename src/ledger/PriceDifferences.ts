import { Effect } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** The most pairs of model and upstream that are remembered. */
const mostPairs = 500
const dayMs = 86_400_000

/** Answers of a model at an upstream, for which the provider charged something else than the price says. */
export interface PriceDifference {
  readonly model: string
  readonly upstream: string
  /** The last answer's, in nano-dollars. */
  readonly told: number
  readonly computed: number
  readonly count: number
  readonly sinceMs: number
}

/** Prices that differ from the charges that providers tell, as this process has seen them. */
export class PriceDifferences extends Effect.Service<PriceDifferences>()("gateway/ledger/PriceDifferences", {
  effect: Effect.gen(function* () {
    const metrics = yield* Metrics
    const pairs = new Map<string, PriceDifference & { readonly lastMs: number }>()

    const forget = (nowMs: number): void => {
      for (const [pair, { lastMs }] of pairs) if (nowMs - lastMs >= dayMs) pairs.delete(pair)
    }

    /** Notes a settled answer. One that agrees again ends what was noted before. */
    const note = ({ atMs, model, toldDifferenceNanoUsd: difference, upstream, used }: UsageRow): void => {
      if (used.toldNanoUsd === undefined || difference === undefined) return
      const pair = `${upstream}\n${model}`
      if (difference === 0) {
        pairs.delete(pair)
        return
      }
      metrics.priceDiffers.of(upstream, model).add(1)
      const known = pairs.get(pair)
      if (known === undefined && pairs.size >= mostPairs) forget(atMs)
      if (known === undefined && pairs.size >= mostPairs) return
      const { count = 0, sinceMs = atMs } = known ?? {}
      const computed = used.toldNanoUsd - difference
      pairs.set(pair, { model, upstream, told: used.toldNanoUsd, computed, count: count + 1, sinceMs, lastMs: atMs })
    }

    /** Those of the last day. */
    const recent = (nowMs: number): ReadonlyArray<PriceDifference> =>
      [...pairs.values()].filter(({ lastMs }) => nowMs - lastMs < dayMs)

    return { note, recent } as const
  })
}) {}
