import { Schema } from "effect"
import { JsonObject } from "../contract/fields.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Citation = Schema.Struct({
  type: Schema.Literal("web_search_result_location"),
  url: Schema.String,
  title: Schema.String,
  encrypted_index: Schema.String.annotations({ description: "Opaque; replay it as it came." }),
  cited_text: Schema.String.annotations({ description: "The page's words, 150 characters at most." })
})
export type Citation = typeof Citation.Type

const Text = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String,
  citations: optional(Schema.Array(Citation))
})

const Thinking = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: Schema.String,
  signature: Schema.String.annotations({ description: "Opaque; replay it as it came." })
})

const RedactedThinking = Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String })

const ToolUse = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: JsonObject
})

const ServerToolUse = Schema.Struct({
  type: Schema.Literal("server_tool_use"),
  id: Schema.String,
  name: Schema.Literal("web_search"),
  input: JsonObject
})

const SearchHit = Schema.Struct({
  type: Schema.Literal("web_search_result"),
  url: Schema.String,
  title: Schema.String,
  encrypted_content: Schema.String.annotations({ description: "Opaque; replay it as it came." }),
  page_age: Schema.NullOr(Schema.String)
})

export const SearchErrorCode = Schema.Literal(
  "invalid_tool_input",
  "unavailable",
  "max_uses_exceeded",
  "too_many_requests",
  "query_too_long",
  "request_too_large"
)

const SearchError = Schema.Struct({
  type: Schema.Literal("web_search_tool_result_error"),
  error_code: SearchErrorCode
})

const WebSearchToolResult = Schema.Struct({
  type: Schema.Literal("web_search_tool_result"),
  tool_use_id: Schema.String,
  content: Schema.Union(Schema.Array(SearchHit), SearchError)
})

/** One block of an answer. */
export const AnswerBlock = Schema.Union(Text, Thinking, RedactedThinking, ToolUse, ServerToolUse, WebSearchToolResult)
export type AnswerBlock = typeof AnswerBlock.Type

const StopReason = Schema.Literal(
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded"
)
export type StopReason = typeof StopReason.Type

const count = Schema.NonNegativeInt

const ServerToolUsage = Schema.Struct({ web_search_requests: count, web_fetch_requests: count })

const Usage = Schema.Struct({
  input_tokens: count.annotations({ description: "Input tokens neither read from a cache nor written to one." }),
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation: Schema.Struct({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }),
  output_tokens: count.annotations({ description: "Generated tokens, thinking included." }),
  server_tool_use: optional(ServerToolUsage),
  service_tier: optional(Schema.String),
  inference_geo: optional(Schema.String)
})
export type Usage = typeof Usage.Type

/** The answer to a request (specification C6). */
export const Message = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("message"),
  role: Schema.Literal("assistant"),
  model: Schema.String.annotations({ description: "The model id that was asked." }),
  content: Schema.Array(AnswerBlock),
  stop_reason: Schema.NullOr(StopReason).annotations({
    description: "Why the answer ended; null only in a stream's `message_start`."
  }),
  stop_sequence: Schema.NullOr(Schema.String).annotations({ description: "Which of `stop_sequences` ended it." }),
  usage: Usage
}).annotations({ identifier: "Message" })
export type Message = typeof Message.Type

/** What an async request gets at once (specification C7). */
export const TaskHandle = Schema.Struct({
  id: Schema.String.annotations({ description: "Task id, for `GET /v1/tasks/{id}`." }),
  object: Schema.Literal("task"),
  status: Schema.Literal("pending", "processing", "success", "failed"),
  created_at: Schema.Number.annotations({ description: "Unix time in seconds." })
}).annotations({ identifier: "MessageTaskHandle" })

export const TokenCount = Schema.Struct({ input_tokens: count }).annotations({ identifier: "MessagesTokenCount" })
