import { inputOf } from "../../contract/records/measures.ts"
import type { Usage, UsageEvent } from "../../generation/GenerationEvent.ts"

/**
 * A usage of pieces (images, seconds) that may have tokens too. If it has none, or implausible ones, a price of tokens
 * takes those that the gateway counts.
 */
export const tokenlessUsage = (usage: Usage, withTokens: NonNullable<UsageEvent["withTokens"]>): UsageEvent => ({
  type: "usage",
  usage,
  withTokens,
  ...(inputOf(usage) + usage.outputTokens === 0 && { counted: "untold-tokens" })
})
