import type { Usage } from "../../../generation/GenerationEvent.ts"
import { countAt, objectAt } from "../../../contract/json.ts"

/** Undefined if the upstream reports none, which is not zero. Cached tokens are part of the input's. */
export const readUsage = (usage: unknown, searches: number): Usage | undefined => {
  const input = countAt(usage, "input_tokens")
  const output = countAt(usage, "output_tokens")
  if (input === undefined && output === undefined) return undefined
  const whole = input ?? Number.NaN
  const cached = Math.min(whole, countAt(objectAt(usage, "input_tokens_details"), "cached_tokens") ?? 0)
  return {
    inputTokens: whole - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: output ?? Number.NaN,
    reasoningTokens: countAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens") ?? 0,
    searches
  }
}
