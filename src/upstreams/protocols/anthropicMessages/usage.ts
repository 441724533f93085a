import type { Usage } from "../../../generation/GenerationEvent.ts"
import { hourly, noUsage } from "../../../generation/GenerationEvent.ts"
import { countAt, objectAt } from "../../../contract/json.ts"

/** Cumulative usage: the fields of this frame replace earlier ones. Undefined if nothing was reported yet. */
export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!tellsTokens(usage)) return before
  const base = before ?? unknownUsage
  const creation = objectAt(usage, "cache_creation")
  const forAnHour = countAt(creation, "ephemeral_1h_input_tokens")
  const fiveMinutes = countAt(creation, "ephemeral_5m_input_tokens")
  const isSplit = forAnHour !== undefined || fiveMinutes !== undefined
  const parts = isSplit ? (forAnHour ?? 0) + (fiveMinutes ?? 0) : undefined
  return {
    inputTokens: countAt(usage, "input_tokens") ?? base.inputTokens,
    cacheReadTokens: countAt(usage, "cache_read_input_tokens") ?? base.cacheReadTokens,
    cacheWriteTokens: countAt(usage, "cache_creation_input_tokens") ?? parts ?? base.cacheWriteTokens,
    // An invalid count leaves the other fields valid. The hourly part may arrive before the total.
    ...hourly(forAnHour === undefined ? (base.cacheWriteHourTokens ?? 0) : forAnHour || 0),
    outputTokens: countAt(usage, "output_tokens") ?? base.outputTokens,
    reasoningTokens: countAt(objectAt(usage, "output_tokens_details"), "thinking_tokens") ?? base.reasoningTokens,
    searches: countAt(objectAt(usage, "server_tool_use"), "web_search_requests") ?? base.searches
  }
}

/** Nothing was reported, which is not zero. */
const unknownUsage: Usage = { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }

export const tellsTokens = (usage: unknown): boolean =>
  countAt(usage, "input_tokens") !== undefined || countAt(usage, "output_tokens") !== undefined
