import { hourTokens } from "../generation/GenerationEvent.ts"
import type { Usage as Tokens } from "../generation/GenerationEvent.ts"
import type { Usage } from "./Message.ts"

/** A generation's usage in the dialect's form. */
export const usage = (tokens: Tokens): Usage => usageOf(tokens, tokens.outputTokens, tokens.searches)

/** The same with other numbers, for frames before the final ones are known. */
export const usageOf = (tokens: Tokens, output_tokens: number, searches: number): Usage => {
  const forAnHour = hourTokens(tokens)
  const used = {
    input_tokens: tokens.inputTokens,
    cache_creation_input_tokens: tokens.cacheWriteTokens,
    cache_read_input_tokens: tokens.cacheReadTokens,
    // Most upstreams report only the total. Five minutes is the dialect's default.
    cache_creation: {
      ephemeral_5m_input_tokens: tokens.cacheWriteTokens - forAnHour,
      ephemeral_1h_input_tokens: forAnHour
    },
    output_tokens
  }
  return searches === 0 ? used : { ...used, server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }
}
