import type { FinishReason as Ended } from "../generation/GenerationEvent.ts"
import type { AnswerMessage, FinishReason } from "./Completion.ts"

/** The dialect's reason for the end of a message. */
export const finishOf = (reason: Ended, message: AnswerMessage): FinishReason => {
  switch (reason) {
    case "max-tokens":
    case "context-exceeded":
      return "length"
    case "tool-calls":
      return message.function_call === undefined ? "tool_calls" : "function_call"
    case "refusal":
      return "content_filter"
    default:
      return "stop"
  }
}
