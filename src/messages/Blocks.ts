import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { cacheControl } from "./cacheControl.ts"
import { ToolAdditionBlock, ToolRemovalBlock } from "./ToolChanges.ts"
import { Base64, DocumentSource, FileSource, fileTypes, image } from "./Sources.ts"

const citations = maybe(
  Schema.Array(
    Schema.Struct({
      type: required(Schema.String, "`web_search_result_location`; others are dropped."),
      url: maybe(Schema.String).annotations({ description: "Address of the page." }),
      title: maybe(Schema.String).annotations({ description: "Title of the page." }),
      encrypted_index: maybe(Schema.String).annotations({ description: "Opaque; return it unchanged." }),
      cited_text: maybe(Schema.String).annotations({ description: "The page's words." })
    })
  )
).annotations({ description: "The citations of an earlier answer, returned unchanged." })

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

const title = maybe(Schema.String).annotations({ description: "The file's name for the model." })

const citing = maybe(
  Schema.Struct({ enabled: maybe(Schema.Boolean).annotations({ description: "True lets the model cite it." }) })
).annotations({ description: "Accepted; citations come from web search alone." })

const DocumentBlock = Schema.Struct({
  type: Schema.Literal("document"),
  source: required(DocumentSource, "The document. Required when `type` is `document`."),
  title,
  context: maybe(Schema.String).annotations({ description: "Context about the document for the model." }),
  citations: citing,
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesDocumentBlock",
  description: "A PDF, plain text, Markdown or CSV file given through `source`."
})

const FileBlock = Schema.Struct({
  type: Schema.Literal("file"),
  source: required(FileSource, "The file. Required when `type` is `file`."),
  title,
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesFileBlock",
  description: "A general file given through `source`, handled according to its `media_type`."
})

const FileDataBlock = Schema.Struct({
  type: Schema.Literal("file_data"),
  media_type: required(Schema.Literal(...fileTypes), "Required when `type` is `file_data`."),
  data: required(Base64, "The file's bytes. Required when `type` is `file_data`."),
  title,
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesFileDataBlock",
  description: "Inline base64 data with its media type, without a `source` around it."
})

const SearchResultBlock = Schema.Struct({
  type: Schema.Literal("search_result"),
  source: required(Schema.String, "Where the result comes from, usually an address."),
  title: required(Schema.String, "Title of the result."),
  content: required(
    Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: required(Schema.String, "The words found.") })),
    "The text of the result."
  ),
  citations: citing,
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesSearchResultBlock",
  description: "A result of the caller's own search, for the model to read."
})

const ToolUseBlock = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: required(Schema.NonEmptyString, "Id of the call, unchanged."),
  name: required(Schema.NonEmptyString, "Name of the tool."),
  input: required(JsonObject, "The arguments of the call."),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesToolUseBlock", description: "A tool call of an earlier answer." })

/** A deferred tool that a tool search has found (Claude Code's `ToolSearch`). */
const ToolReference = Schema.Struct({
  type: Schema.Literal("tool_reference"),
  tool_name: required(Schema.NonEmptyString, "Name of the tool. Required."),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesToolReference",
  description: "A tool of `tools` that the model may use from here on."
})

const ResultBlock = variants({
  text: TextBlock,
  image: ImageBlock,
  document: DocumentBlock,
  file: FileBlock,
  file_data: FileDataBlock,
  search_result: SearchResultBlock,
  tool_reference: ToolReference
})
export type ResultBlock = typeof ResultBlock.Type

const ToolResultBlock = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: required(Schema.NonEmptyString, "`id` of the `tool_use` block it answers. Required."),
  content: maybe(Schema.Union(Schema.String, Schema.Array(ResultBlock))).annotations({
    description: "A text, or blocks of text, images and documents."
  }),
  is_error: maybe(Schema.Boolean).annotations({ description: "True if the tool failed. Default `false`." }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesToolResultBlock", description: "The result of a caller's tool." })

const ThinkingBlock = Schema.Struct({
  type: Schema.Literal("thinking"),
  thinking: required(Schema.String, "The thinking; empty if it was not shown."),
  signature: maybe(Schema.String).annotations({ description: "Opaque; return it unchanged." })
}).annotations({ identifier: "MessagesThinkingBlock", description: "Thinking of an earlier answer." })

const RedactedThinkingBlock = Schema.Struct({
  type: Schema.Literal("redacted_thinking"),
  data: required(Schema.String, "Opaque; return it unchanged.")
}).annotations({
  identifier: "MessagesRedactedThinkingBlock",
  description: "Unreadable thinking of an earlier answer."
})

const ServerToolUseBlock = Schema.Struct({
  type: Schema.Literal("server_tool_use"),
  id: required(Schema.NonEmptyString, "Id of the search, unchanged."),
  name: required(Schema.NonEmptyString, "`web_search`; others are dropped."),
  input: maybe(JsonObject).annotations({ description: 'The query: `{"query": "…"}`.' }),
  cache_control: cacheControl
}).annotations({ identifier: "MessagesServerToolUseBlock", description: "A web search of an earlier answer." })

const SearchHit = Schema.Struct({
  type: Schema.Literal("web_search_result"),
  url: required(Schema.String, "Address of the page."),
  title: maybe(Schema.String).annotations({ description: "Title of the page." }),
  encrypted_content: maybe(Schema.String).annotations({ description: "Opaque; return it unchanged." }),
  page_age: maybe(Schema.String).annotations({ description: "The age of the page, in words." })
})

const WebSearchToolResultBlock = Schema.Struct({
  type: Schema.Literal("web_search_tool_result"),
  tool_use_id: required(Schema.NonEmptyString, "`id` of the `server_tool_use` block it answers."),
  content: required(
    Schema.Union(
      Schema.Array(SearchHit),
      Schema.Struct({
        type: Schema.Literal("web_search_tool_result_error"),
        error_code: required(Schema.String, "The reason of the failure.")
      })
    ),
    "The pages found, or the error."
  ),
  cache_control: cacheControl
}).annotations({
  identifier: "MessagesWebSearchToolResultBlock",
  description: "The results of an earlier web search."
})

/** Blocks of tools that Anthropic runs. Only upstreams of this dialect get them. */
const hosted = [
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "mcp_tool_use",
  "mcp_tool_result",
  "mcp_tool_listing",
  "container_upload",
  "compaction"
] as const
const isHostedType = new RegExp(`^(${hosted.join("|")})$`)

const HostedBlock = Schema.Struct(
  { type: Schema.Literal(...hosted).annotations({ description: "A tool's output." }), cache_control: cacheControl },
  { key: Schema.String, value: Schema.Unknown }
).annotations({
  identifier: "MessagesHostedBlock",
  description: "A block that only an upstream of this dialect understands: passed through, or dropped."
})
/** One of them. */
export type HostedBlock = typeof HostedBlock.Type

/** One block of a message's content, distinguished by `type`. */
export const ContentBlock = variants(
  {
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
    search_result: SearchResultBlock,
    tool_addition: ToolAdditionBlock,
    tool_removal: ToolRemovalBlock
  },
  { others: [[isHostedType, HostedBlock]], open: true }
)
export type ContentBlock = typeof ContentBlock.Type

/** True if only an upstream of this dialect understands the block. */
export const isHostedBlock = (block: ContentBlock): boolean =>
  isHostedType.test(block.type) && !isServerCall(block) && !isListing(block) && summaryIn(block) === undefined

/** True for a call of a server's tool, or its result: they are read as calls everywhere. */
export const isListing = (block: ContentBlock): block is HostedBlock => block.type === "mcp_tool_listing"

export const isServerCall = (block: ContentBlock): block is HostedBlock =>
  block.type === "mcp_tool_use" || block.type === "mcp_tool_result"

/** The summary that stands for all blocks before it, as Anthropic wrote it; undefined for any other block. */
export const summaryIn = (block: ContentBlock): string | undefined =>
  block.type === "compaction" && typeof block["content"] === "string" && block["content"].trim() !== ""
    ? block["content"]
    : undefined

export type BlockOf<Type extends ContentBlock["type"]> = Extract<ContentBlock, { readonly type: Type }>

interface WithBlocks {
  readonly messages: string | ReadonlyArray<{ readonly content: string | ReadonlyArray<ContentBlock> }>
}

/** Every block of a request's messages. */
export const blocksOf = ({ messages }: WithBlocks): ReadonlyArray<ContentBlock> => {
  if (typeof messages === "string") return []
  const blocks: Array<ContentBlock> = []
  for (const { content } of messages) {
    if (typeof content === "string") continue
    for (const block of content) blocks.push(block)
  }
  return blocks
}
