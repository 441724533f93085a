import type { SearchOutcome } from "../generation/Conversation.ts"
import type { AnswerBlock } from "./Message.ts"
import { sealContent } from "./opaque.ts"

/** A search's outcome as the block that follows it. */
export const searchResult = (id: string, outcome: SearchOutcome): AnswerBlock => ({
  type: "web_search_tool_result",
  tool_use_id: id,
  content:
    outcome.type === "error"
      ? { type: "web_search_tool_result_error", error_code: outcome.code }
      : outcome.results.map((result) => ({
          type: "web_search_result",
          url: result.url,
          title: result.title,
          encrypted_content: sealContent(result),
          page_age: result.pageAge
        }))
})
