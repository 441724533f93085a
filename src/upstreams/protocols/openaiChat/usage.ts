import type { Usage } from "../../../generation/GenerationEvent.ts"
import { countAt, objectAt } from "../../../contract/json.ts"

/** Token counts of a chunk; undefined where it tells none, which is not the same as zero. */
export const readUsage = (usage: unknown): Usage | undefined => {
  const prompt = countAt(usage, "prompt_tokens")
  const completion = countAt(usage, "completion_tokens")
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? Number.NaN
  const total = countAt(usage, "total_tokens")
  const details = objectAt(usage, "prompt_tokens_details")
  // DeepSeek has its own name for it. Either way cached tokens are part of the prompt's.
  const cached = Math.min(input, countAt(details, "cached_tokens") ?? countAt(usage, "prompt_cache_hit_tokens") ?? 0)
  // Gemini and Grok count reasoning in the total alone.
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
