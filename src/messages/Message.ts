import { Schema } from "effect"
import { JsonObject, answerField } from "../contract/fields.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Citation = Schema.Struct({
  type: Schema.Literal("web_search_result_location"),
  url: answerField(Schema.String, "Address of the page."),
  title: answerField(Schema.String, "Title of the page."),
  encrypted_index: Schema.String.annotations({ description: "Opaque; return it unchanged." }),
  cited_text: Schema.String.annotations({ description: "The page's words, 150 characters at most." })
})
export type Citation = typeof Citation.Type

const Text = Schema.Struct({
  type: Schema.Literal("text"),
  text: answerField(Schema.String, "The text."),
  citations: optional(Schema.Array(Citation)).annotations({ description: "Citations in the text." })
})

const Thinking = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: answerField(Schema.String, "The thinking; empty if it is not shown."),
  signature: Schema.String.annotations({ description: "Opaque; return it unchanged." })
})

const RedactedThinking = Schema.Struct({
  type: Schema.Literal("redacted_thinking"),
  data: answerField(Schema.String, "Opaque; return it unchanged.")
})

const ToolUse = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: answerField(Schema.String, "Id of the call, for its `tool_result`."),
  name: answerField(Schema.String, "Name of the tool."),
  input: answerField(JsonObject, "The arguments.")
})

const ServerToolUse = Schema.Struct({
  type: Schema.Literal("server_tool_use"),
  id: answerField(Schema.String, "Id of the search, for its result."),
  name: Schema.Literal("web_search"),
  input: answerField(JsonObject, 'The query: `{"query": "…"}`.')
})

const SearchHit = Schema.Struct({
  type: Schema.Literal("web_search_result"),
  url: answerField(Schema.String, "Address of the page."),
  title: answerField(Schema.String, "Title of the page."),
  encrypted_content: Schema.String.annotations({ description: "Opaque; return it unchanged." }),
  page_age: answerField(Schema.NullOr(Schema.String), "The age of the page, in words.")
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
  error_code: answerField(SearchErrorCode, "The reason of the failure.")
})

const WebSearchToolResult = Schema.Struct({
  type: Schema.Literal("web_search_tool_result"),
  tool_use_id: answerField(Schema.String, "`id` of the `server_tool_use` block it answers."),
  content: answerField(Schema.Union(Schema.Array(SearchHit), SearchError), "The pages found, or the error.")
})

const McpToolUse = Schema.Struct({
  type: Schema.Literal("mcp_tool_use"),
  id: answerField(Schema.String, "Id of the call, for its result."),
  name: answerField(Schema.String, "The server's name of the tool."),
  server_name: answerField(Schema.String, "The request's name of the server."),
  input: answerField(JsonObject, "The arguments.")
})

const McpToolResult = Schema.Struct({
  type: Schema.Literal("mcp_tool_result"),
  tool_use_id: answerField(Schema.String, "`id` of the `mcp_tool_use` block it answers."),
  is_error: answerField(Schema.Boolean, "True if the server or the tool failed."),
  content: answerField(
    Schema.Array(
      Schema.Struct({ type: Schema.Literal("text"), text: answerField(Schema.String, "The result, or the error.") })
    ),
    "What the model reads of it."
  )
})

const McpToolListing = Schema.Struct({
  type: Schema.Literal("mcp_tool_listing"),
  mcp_server_name: answerField(Schema.String, "The request's name of the server."),
  tools: answerField(
    Schema.Array(
      Schema.Struct({
        name: answerField(Schema.String, "The server's name of the tool."),
        description: optional(Schema.String).annotations({ description: "The server's words." }),
        input_schema: answerField(JsonObject, "JSON Schema of the arguments.")
      })
    ),
    "Its tools; return them unchanged."
  )
})

/** One block of an answer. */
export const AnswerBlock = Schema.Union(
  Text,
  Thinking,
  RedactedThinking,
  ToolUse,
  ServerToolUse,
  WebSearchToolResult,
  McpToolUse,
  McpToolResult,
  McpToolListing
)
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

const ServerToolUsage = Schema.Struct({
  web_search_requests: answerField(count, "Searches made."),
  web_fetch_requests: answerField(count, "Always 0.")
})

const Usage = Schema.Struct({
  input_tokens: count.annotations({ description: "Input tokens neither read from a cache nor written to one." }),
  cache_creation_input_tokens: answerField(count, "Input tokens written to a cache."),
  cache_read_input_tokens: answerField(count, "Input tokens read from a cache."),
  cache_creation: answerField(
    Schema.Struct({
      ephemeral_5m_input_tokens: answerField(count, "Kept for five minutes."),
      ephemeral_1h_input_tokens: answerField(count, "Kept for an hour.")
    }),
    "The tokens written to a cache, by how long it keeps them."
  ),
  output_tokens: count.annotations({ description: "Generated tokens, thinking included." }),
  server_tool_use: optional(ServerToolUsage).annotations({ description: "Uses of server-side tools." }),
  service_tier: optional(Schema.String).annotations({ description: "The applied service tier." }),
  inference_geo: optional(Schema.String).annotations({ description: "The upstream that ran the model." })
})
export type Usage = typeof Usage.Type

/** The answer to a request (docs/api.md#the-message). */
export const Message = Schema.Struct({
  id: answerField(Schema.String, "Id of the message."),
  type: Schema.Literal("message"),
  role: Schema.Literal("assistant"),
  model: Schema.String.annotations({ description: "The requested model." }),
  content: answerField(Schema.Array(AnswerBlock), "The model's output, in order."),
  stop_reason: Schema.NullOr(StopReason).annotations({
    description: "The reason that the answer ended; null only in a stream's `message_start`."
  }),
  stop_sequence: Schema.NullOr(Schema.String).annotations({ description: "The stop sequence that ended it." }),
  usage: answerField(Usage, "Tokens used.")
}).annotations({ identifier: "Message" })
export type Message = typeof Message.Type

/** The immediate answer to an async request (docs/api.md#async-messages). */
export const TaskHandle = Schema.Struct({
  id: Schema.String.annotations({ description: "Task id, for `GET /v1/tasks/{id}`." }),
  object: Schema.Literal("task"),
  status: answerField(Schema.Literal("pending", "processing", "success", "failed"), "`pending` for a new task."),
  created_at: Schema.Number.annotations({ description: "Unix time in seconds." })
}).annotations({ identifier: "MessageTaskHandle" })

export const TokenCount = Schema.Struct({ input_tokens: count }).annotations({ identifier: "MessagesTokenCount" })
