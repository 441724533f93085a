import type { Usage } from "../../../generation/GenerationEvent.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, isObject, objectAt } from "../../../contract/json/json.ts"
import { callsOf } from "../../../generation/addUsage.ts"
import { billedCalls } from "../billedCalls.ts"
import { inputParts, modalIn, outputParts } from "../tokenParts.ts"

/**
 * A chunk's usage; undefined if it has none, which is not zero.
 *
 * @param choice the one that is read
 */
export const usageIn = (chunk: JsonObject, choice: JsonObject | undefined): Usage | undefined => {
  const { usage: told, x_groq: groq } = chunk
  // Most chunks have none.
  if (told === undefined && groq === undefined && choice?.["usage"] === undefined) return undefined
  // Groq's place in a stream, and Moonshot's.
  const usage = isObject(told) ? told : (objectAt(groq, "usage") ?? objectAt(choice, "usage"))
  if (usage === undefined) return undefined
  // llama.cpp.
  return readUsage(usage, countAt(objectAt(chunk, "timings"), "cache_n"))
}

/** @param cachedElsewhere cached tokens that stand outside the usage */
const readUsage = (usage: JsonObject, cachedElsewhere: number | undefined): Usage | undefined => {
  const prompt = countAt(usage, "prompt_tokens")
  const completion = countAt(usage, "completion_tokens")
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? Number.NaN
  const total = countAt(usage, "total_tokens")
  const details = objectAt(usage, "prompt_tokens_details")
  // In every form cached tokens are part of the prompt's. The others are DeepSeek's and Moonshot's names.
  const told = firstOf(
    countAt(details, "cached_tokens"),
    countAt(usage, "prompt_cache_hit_tokens"),
    countAt(usage, "cached_tokens")
  )
  const cached = Math.min(input, told ?? cachedElsewhere ?? 0)
  // OpenAI and OpenRouter, of models that charge for it.
  const written = Math.min(input - cached, countAt(details, "cache_write_tokens") ?? 0)
  // Gemini and Grok include reasoning in the total only.
  const rest = total === undefined ? (completion ?? Number.NaN) : total - input
  const completionDetails = objectAt(usage, "completion_tokens_details")
  return {
    inputTokens: input - cached - written,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: Math.max(completion ?? 0, rest),
    reasoningTokens: countAt(completionDetails, "reasoning_tokens") ?? 0,
    searches: 0,
    ...inputParts(input, cached, modalIn(details)),
    ...outputParts(modalIn(completionDetails)),
    ...callsOf(billedCalls(usage, {}))
  }
}

/** The first that is not zero, because DeepSeek's `cached_tokens` may be 0 beside its own name; otherwise any. */
const firstOf = (...counts: ReadonlyArray<number | undefined>): number | undefined =>
  counts.find((count) => count !== undefined && count !== 0) ?? counts.find((count) => count !== undefined)
