import type { Conversation } from "../generation/Conversation.ts"
import { countTokens, mostTokens } from "./tokens.ts"

/** The share of the input by which another tokenizer may exceed our count, and the framing of a chat template. */
const [margin, framing] = [1 / 8, 64]

/**
 * The output tokens that a context window has room for beside the input, if the conversation asks for more; undefined if
 * it fits, or if the input alone fills the window. The count of the input is an estimate, so some room is left.
 */
export const outputRoom = (conversation: Conversation, contextTokens: number): number | undefined => {
  const { maxOutputTokens } = conversation
  if (maxOutputTokens === undefined || mostTokens(conversation) + maxOutputTokens <= contextTokens) return undefined
  const inputTokens = countTokens(conversation)
  const left = contextTokens - inputTokens
  if (left < 1 || maxOutputTokens <= left) return undefined
  return Math.ceil(left - Math.min(left / 2, inputTokens * margin + framing))
}
