import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { Base64, DocumentSource, FileSource, fileTypes, image } from "./Sources.ts"

/** A prompt-cache breakpoint; accepted wherever the dialect has it. */
export const cacheControl = maybe(JsonObject).annotations({
  description: 'Marks a prompt-cache breakpoint: `{"type": "ephemeral"}`.'
})

const citations = maybe(
  Schema.Array(
    Schema.Struct({
      type: Schema.String,
      url: maybe(Schema.String),
      title: maybe(Schema.String),
      encrypted_index: maybe(Schema.String),
      cited_text: maybe(Schema.String)
    })
  )
).annotations({ description: "The citations of an earlier answer, replayed as they came." })

const TextBlock = Schema.Struct({
  type: Schema.Literal("text"),
  text: required(Schema.String, "The text. Required when `type` is `text`."),
  citations,
  cache_control: cacheControl
}).annotations({ identifier: "MessagesTextBlock", description: "Plain text." })

const ImageBlock = Schema.Struct({ ...image.fields, cache_control: cacheControl }).annotations({
  identifier: "MessagesImageBlock",
  description: "An image given through `source`: PNG, JPEG, GIF or WebP."
})

const DocumentBlock = Schema.Struct({
  type: Schema.Literal("document"),
  source: required(DocumentSource, "The document. Required when `type` is `document`."),
  title: maybe(Schema.String),
  context: maybe(Schema.String).annotations({ description: "What the model should know about the document." }),
  citations: maybe(Schema.Struct({ enabled: maybe(Schema.Boolean) })),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesDocumentBlock",
  description: "A PDF, plain text, Markdown or CSV file given through `source`."
})

const FileBlock = Schema.Struct({
  type: Schema.Literal("file"),
  source: required(FileSource, "The file. Required when `type` is `file`."),
  title: maybe(Schema.String),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesFileBlock",
  description: "A general file given through `source`, handled according to its `media_type`."
})

const FileDataBlock = Schema.Struct({
  type: Schema.Literal("file_data"),
  media_type: required(Schema.Literal(...fileTypes), "Required when `type` is `file_data`."),
  data: required(Base64, "The file's bytes. Required when `type` is `file_data`."),
  title: maybe(Schema.String),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesFileDataBlock",
  description: "Inline base64 data with its media type, without a `source` around it."
})

const SearchResultBlock = Schema.Struct({
  type: Schema.Literal("search_result"),
  source: required(Schema.String, "Where the result comes from, usually an address."),
  title: Schema.String,
  content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
  citations: maybe(Schema.Struct({ enabled: maybe(Schema.Boolean) })),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesSearchResultBlock",
  description: "A result of the caller's own search, for the model to read."
})

const ToolUseBlock = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  input: JsonObject,
  cache_control: cacheControl
}).annotations({ identifier: "MessagesToolUseBlock", description: "A tool call of an earlier answer." })

const ResultBlock = variants({
  text: TextBlock,
  image: ImageBlock,
  document: DocumentBlock,
  file: FileBlock,
  file_data: FileDataBlock,
  search_result: SearchResultBlock
})

const ToolResultBlock = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: required(Schema.NonEmptyString, "`id` of the `tool_use` block it answers. Required."),
  content: maybe(Schema.Union(Schema.String, Schema.Array(ResultBlock))),
  is_error: maybe(Schema.Boolean).annotations({ description: "Whether the tool failed. Default `false`." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesToolResultBlock", description: "What a tool of the caller answered." })

const ThinkingBlock = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: Schema.String,
  signature: maybe(Schema.String).annotations({ description: "Opaque; replay it as it came." })
}).annotations({ identifier: "MessagesThinkingBlock", description: "Thinking of an earlier answer." })

const RedactedThinkingBlock = Schema.Struct({
  type: Schema.Literal("redacted_thinking"),
  data: required(Schema.String, "Opaque; replay it as it came.")
}).annotations({
  identifier: "MessagesRedactedThinkingBlock",
  description: "Unreadable thinking of an earlier answer."
})

const ServerToolUseBlock = Schema.Struct({
  type: Schema.Literal("server_tool_use"),
  id: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  input: maybe(JsonObject),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesServerToolUseBlock", description: "A web search of an earlier answer." })

const SearchHit = Schema.Struct({
  type: Schema.Literal("web_search_result"),
  url: Schema.String,
  title: maybe(Schema.String),
  encrypted_content: maybe(Schema.String).annotations({ description: "Opaque; replay it as it came." }),
  page_age: maybe(Schema.String)
})

const WebSearchToolResultBlock = Schema.Struct({
  type: Schema.Literal("web_search_tool_result"),
  tool_use_id: Schema.NonEmptyString,
  content: Schema.Union(
    Schema.Array(SearchHit),
    Schema.Struct({ type: Schema.Literal("web_search_tool_result_error"), error_code: Schema.String })
  ),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesWebSearchToolResultBlock",
  description: "What a web search of an earlier answer found."
})

/** One block of a message's content, told apart by `type`. */
export const ContentBlock = variants({
  text: TextBlock,
  image: ImageBlock,
  document: DocumentBlock,
  file: FileBlock,
  file_data: FileDataBlock,
  tool_use: ToolUseBlock,
  tool_result: ToolResultBlock,
  thinking: ThinkingBlock,
  redacted_thinking: RedactedThinkingBlock,
  server_tool_use: ServerToolUseBlock,
  web_search_tool_result: WebSearchToolResultBlock,
  search_result: SearchResultBlock
})
export type ContentBlock = typeof ContentBlock.Type
export type BlockOf<Type extends ContentBlock["type"]> = Extract<ContentBlock, { readonly type: Type }>
