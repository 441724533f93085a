import { Effect, Runtime } from "effect"
import type { Doubt, Usage } from "../generation/GenerationEvent.ts"
import { Metrics } from "../telemetry/Metrics.ts"

/** Counts and logs implausible usage. */
export const makeUsageDoubts = Effect.gen(function* () {
  const metrics = yield* Metrics
  const runtime = yield* Effect.runtime()
  return (
    { model, requestId, upstream }: { readonly model: string; readonly requestId: string; readonly upstream: string },
    reason: Doubt,
    told: Usage
  ): void => {
    metrics.usageDoubted.of(upstream, reason).add(1)
    Runtime.runFork(runtime)(
      Effect.logWarning("an upstream reported impossible usage; the gateway counts it instead").pipe(
        Effect.annotateLogs({ event: "usage.doubted", request_id: requestId, model, upstream, reason, ...told })
      )
    )
  }
})
