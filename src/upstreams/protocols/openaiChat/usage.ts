import type { Usage } from "../../../generation/GenerationEvent.ts"
import { numberAt, objectAt } from "../json.ts"

/** Token counts of a chunk; undefined where it tells none, which is not the same as zero. */
export const readUsage = (usage: unknown): Usage | undefined => {
  const prompt = numberAt(usage, "prompt_tokens")
  const completion = numberAt(usage, "completion_tokens")
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? 0
  const details = objectAt(usage, "prompt_tokens_details")
  // DeepSeek has its own name for it. Either way cached tokens are part of the prompt's.
  const cached = Math.min(input, numberAt(details, "cached_tokens") ?? numberAt(usage, "prompt_cache_hit_tokens") ?? 0)
  // Gemini and Grok count reasoning in the total alone.
  const rest = (numberAt(usage, "total_tokens") ?? 0) - input
  return {
    inputTokens: input - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: Math.max(completion ?? 0, rest),
    reasoningTokens: numberAt(objectAt(usage, "completion_tokens_details"), "reasoning_tokens") ?? 0,
    searches: 0
  }
}
