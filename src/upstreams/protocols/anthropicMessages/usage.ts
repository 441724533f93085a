import type { Usage } from "../../../generation/GenerationEvent.ts"
import { hourly, noUsage } from "../../../generation/GenerationEvent.ts"
import { countAt, objectAt } from "../../../contract/json.ts"

/** Totals so far: what this part of the stream tells replaces what an earlier one told. undefined where none has. */
export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!tellsTokens(usage)) return before
  const base = before ?? untold
  const creation = objectAt(usage, "cache_creation")
  const forAnHour = countAt(creation, "ephemeral_1h_input_tokens")
  const fiveMinutes = countAt(creation, "ephemeral_5m_input_tokens")
  const isSplit = forAnHour !== undefined || fiveMinutes !== undefined
  const parts = isSplit ? (forAnHour ?? 0) + (fiveMinutes ?? 0) : undefined
  return {
    inputTokens: countAt(usage, "input_tokens") ?? base.inputTokens,
    cacheReadTokens: countAt(usage, "cache_read_input_tokens") ?? base.cacheReadTokens,
    cacheWriteTokens: countAt(usage, "cache_creation_input_tokens") ?? parts ?? base.cacheWriteTokens,
    // What can be no count says nothing of the others. It may be told before the whole is.
    ...hourly(forAnHour === undefined ? (base.cacheWriteHourTokens ?? 0) : forAnHour || 0),
    outputTokens: countAt(usage, "output_tokens") ?? base.outputTokens,
    reasoningTokens: countAt(objectAt(usage, "output_tokens_details"), "thinking_tokens") ?? base.reasoningTokens,
    searches: countAt(objectAt(usage, "server_tool_use"), "web_search_requests") ?? base.searches
  }
}

/** Nothing has been told: that is not the same as zero. */
const untold: Usage = { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }

export const tellsTokens = (usage: unknown): boolean =>
  countAt(usage, "input_tokens") !== undefined || countAt(usage, "output_tokens") !== undefined
