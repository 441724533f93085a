import type { JsonObject } from "../../../contract/fields.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { noUsage } from "../../../generation/GenerationEvent.ts"
import { isObject, numberAt, objectAt } from "../json.ts"

/** Totals so far: what this part of the stream tells replaces what an earlier one told. undefined where none has. */
export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isObject(usage) || !tellsTokens(usage)) return before
  const base = before ?? noUsage
  return {
    inputTokens: numberAt(usage, "input_tokens") ?? base.inputTokens,
    cacheReadTokens: numberAt(usage, "cache_read_input_tokens") ?? base.cacheReadTokens,
    cacheWriteTokens: numberAt(usage, "cache_creation_input_tokens") ?? base.cacheWriteTokens,
    outputTokens: numberAt(usage, "output_tokens") ?? base.outputTokens,
    reasoningTokens: numberAt(objectAt(usage, "output_tokens_details"), "thinking_tokens") ?? base.reasoningTokens,
    searches: numberAt(objectAt(usage, "server_tool_use"), "web_search_requests") ?? base.searches
  }
}

const tellsTokens = (usage: JsonObject) =>
  numberAt(usage, "input_tokens") !== undefined || numberAt(usage, "output_tokens") !== undefined
