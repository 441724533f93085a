import { hourly, hourTokens } from "./GenerationEvent.ts"
import type { Usage } from "./GenerationEvent.ts"

/** The sum of two generations' usage. */
export const addUsage = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  ...hourly(hourTokens(one) + hourTokens(other)),
  outputTokens: one.outputTokens + other.outputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  searches: one.searches + other.searches
})
