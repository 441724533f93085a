import { Effect } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"
import { makeAboveHold } from "./aboveHold.ts"
import { countSpending } from "./countSpending.ts"
import { PriceDifferences } from "./PriceDifferences.ts"
import { makePriceGaps } from "./priceGaps.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** Counts and reports a settled request, once. */
export type Observed = (row: UsageRow) => void

export const makeObserved = Effect.gen(function* () {
  const spent = countSpending(yield* Metrics)
  const aboveHold = yield* makeAboveHold
  const differences = yield* PriceDifferences
  const priceGaps = yield* makePriceGaps

  const observed: Observed = (row) => {
    spent(row)
    aboveHold(row)
    differences.note(row)
    priceGaps(row)
  }
  return observed
})
