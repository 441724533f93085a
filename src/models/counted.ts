import type { Usage } from "../generation/GenerationEvent.ts"
import type { Metrics } from "../telemetry/Metrics.ts"
import type { Watcher } from "./tryRoutes.ts"

/** Counts a generation that has begun; what it answers is called once, when it is over. */
export const counted = (metrics: Metrics, model: string, upstream: string, stream: boolean) => {
  const open = stream ? metrics.streamsOpen.of() : undefined
  open?.add(1)
  return (how: "finished" | "hang-up" | "failed", used: Usage): void => {
    open?.add(-1)
    metrics.generations.of(model, upstream, how).add(1)
    const { tokens } = metrics
    if (used.inputTokens > 0) tokens.of(model, "input").add(used.inputTokens)
    if (used.cacheReadTokens > 0) tokens.of(model, "cache_read").add(used.cacheReadTokens)
    if (used.cacheWriteTokens > 0) tokens.of(model, "cache_write").add(used.cacheWriteTokens)
    if (used.outputTokens > 0) tokens.of(model, "output").add(used.outputTokens)
  }
}

/** Counts the calls that upstreams refuse, and those that are made once more. */
export const watching = (metrics: Metrics): Watcher => ({
  failed: (upstream, { status }) => metrics.upstreamErrors.of(upstream, String(status ?? "none")).add(1),
  again: (upstream, how) => metrics.upstreamRetries.of(upstream, how).add(1)
})
