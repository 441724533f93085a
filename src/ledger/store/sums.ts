import type { UsageSums } from "./usageGroup.ts"

/** The sums of no requests. */
export const noSums: UsageSums = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  searches: 0,
  videoFrames: 0,
  costNanoUsd: 0,
  upstreamCostNanoUsd: 0,
  aboveHoldNanoUsd: 0
}

export const addSums = (one: UsageSums, other: UsageSums = noSums): UsageSums => ({
  requests: one.requests + other.requests,
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  searches: one.searches + other.searches,
  videoFrames: one.videoFrames + other.videoFrames,
  costNanoUsd: one.costNanoUsd + other.costNanoUsd,
  upstreamCostNanoUsd: one.upstreamCostNanoUsd + other.upstreamCostNanoUsd,
  aboveHoldNanoUsd: one.aboveHoldNanoUsd + other.aboveHoldNanoUsd
})
