import { Effect, Runtime } from "effect"
import { Metrics } from "../telemetry/Metrics.ts"
import { PriceGaps } from "./store/PriceGaps.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** Reports a settled request of which something had no price. */
export const makePriceGaps = Effect.gen(function* () {
  const metrics = yield* Metrics
  const gaps = yield* PriceGaps
  const runtime = yield* Effect.runtime()

  return ({ account, atMs, model, priceGap: gap, requestId, summedAs = model, upstream }: UsageRow): void => {
    if (gap === undefined) return
    metrics.priceGaps.of(summedAs, gap.slice(0, gap.indexOf("="))).add(1)
    const warned = Effect.annotateLogs(
      Effect.logWarning("a part of a request has no price; it is charged at the dearest known price"),
      { event: "price.gap", request_id: requestId, account, model, upstream, price_gap: gap }
    )
    const noted = Effect.catchAllCause(gaps.note({ atMs, model: summedAs, upstream, gap }), (cause) =>
      Effect.logWarning("a gap in the prices could not be stored", cause)
    )
    Runtime.runFork(runtime)(Effect.zipRight(warned, noted))
  }
})
