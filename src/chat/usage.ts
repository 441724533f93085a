import { inputOf } from "../contract/records/measures.ts"
import { cacheDetails } from "../generation/GenerationEvent.ts"
import type { Usage as Tokens } from "../generation/GenerationEvent.ts"
import type { Usage } from "./Completion.ts"

/** A generation's usage in the dialect's form. */
export const usageOf = (tokens: Tokens): Usage => {
  const prompt_tokens = inputOf(tokens)
  return {
    prompt_tokens,
    completion_tokens: tokens.outputTokens,
    total_tokens: prompt_tokens + tokens.outputTokens,
    prompt_tokens_details: cacheDetails(tokens),
    completion_tokens_details: { reasoning_tokens: tokens.reasoningTokens }
  }
}
