import type { Usage } from "../../../generation/GenerationEvent.ts"
import { countAt, objectAt } from "../../../contract/json.ts"

/** A chunk's usage; undefined if it has none, which is not zero. */
export const readUsage = (usage: unknown): Usage | undefined => {
  const prompt = countAt(usage, "prompt_tokens")
  const completion = countAt(usage, "completion_tokens")
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? Number.NaN
  const total = countAt(usage, "total_tokens")
  const details = objectAt(usage, "prompt_tokens_details")
  // DeepSeek's own name for it. In both forms cached tokens are part of the prompt's.
  const cached = Math.min(input, countAt(details, "cached_tokens") ?? countAt(usage, "prompt_cache_hit_tokens") ?? 0)
  // Gemini and Grok include reasoning in the total only.
  const rest = total === undefined ? (completion ?? Number.NaN) : total - input
  return {
    inputTokens: input - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: Math.max(completion ?? 0, rest),
    reasoningTokens: countAt(objectAt(usage, "completion_tokens_details"), "reasoning_tokens") ?? 0,
    searches: 0
  }
}
