import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, objectAt } from "../../../contract/json.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"

/**
 * The usage of a frame; undefined if it has none, which is not zero. Counts of zero are left out. Cached tokens are part
 * of the prompt's, thoughts are no part of the candidates'.
 *
 * @param searches how many the answer has run so far
 */
export const usageIn = (frame: JsonObject, searches: number): Usage | undefined => {
  const usage = objectAt(frame, "usageMetadata")
  const [prompt, total] = [countAt(usage, "promptTokenCount"), countAt(usage, "totalTokenCount")]
  if (prompt === undefined && total === undefined) return undefined
  const input = (prompt ?? 0) + (countAt(usage, "toolUsePromptTokenCount") ?? 0)
  const cached = Math.min(input, countAt(usage, "cachedContentTokenCount") ?? 0)
  const thoughts = countAt(usage, "thoughtsTokenCount") ?? 0
  return {
    inputTokens: input - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: (countAt(usage, "candidatesTokenCount") ?? 0) + thoughts,
    reasoningTokens: thoughts,
    searches
  }
}
