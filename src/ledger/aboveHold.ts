import { Effect, Runtime } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"
import type { Bill } from "./billOf.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** A settled request's money. */
export type Costs = Pick<UsageRow, "costNanoUsd" | "upstreamCostNanoUsd" | "aboveHoldNanoUsd" | "toldDifferenceNanoUsd">

/**
 * Divides a cost: the caller pays at most its hold, so that no upstream can overdraw a balance or a budget, and the
 * operator bears the rest.
 *
 * @param mostNanoUsd the hold (`mostCharged`)
 */
export const costsWithin = (
  mostNanoUsd: number,
  {
    dueNanoUsd,
    toldDifferenceNanoUsd,
    upstreamCostNanoUsd
  }: Pick<Bill, "dueNanoUsd" | "toldDifferenceNanoUsd" | "upstreamCostNanoUsd">
): Costs => {
  const costNanoUsd = Math.min(dueNanoUsd, mostNanoUsd)
  return { costNanoUsd, upstreamCostNanoUsd, aboveHoldNanoUsd: dueNanoUsd - costNanoUsd, toldDifferenceNanoUsd }
}

/** The money of a request that is not charged. */
export const unpaid = (upstreamCostNanoUsd: number): Costs => ({
  costNanoUsd: 0,
  upstreamCostNanoUsd,
  aboveHoldNanoUsd: 0
})

/** Reports a settled request if it cost more than was held for it. */
export type AboveHold = (row: UsageRow) => void

export const makeAboveHold = Effect.gen(function* () {
  const metrics = yield* Metrics
  const runtime = yield* Effect.runtime()

  const aboveHold: AboveHold = ({ account, aboveHoldNanoUsd, costNanoUsd, model, requestId, upstream }) => {
    if (aboveHoldNanoUsd === 0) return
    metrics.chargesCapped.of(model).add(1)
    Runtime.runFork(runtime)(
      Effect.logWarning("a request cost more than was held for it; its charge is the hold").pipe(
        Effect.annotateLogs({
          event: "charge.above_hold",
          request_id: requestId,
          account,
          model,
          upstream,
          charged_nano_usd: costNanoUsd,
          above_hold_nano_usd: aboveHoldNanoUsd
        })
      )
    )
  }
  return aboveHold
})
