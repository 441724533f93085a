import { Schema } from "effect"
import { markLast, markOf } from "../generation/cacheMarks.ts"
import { registeredType } from "../generation/fileSource.ts"
import { reasoningItem } from "../generation/origin.ts"
import type {
  FileSource,
  ImagePart,
  Item,
  Part,
  SearchItem,
  SearchResult,
  TextPart
} from "../generation/Conversation.ts"
import { isServerCall, summaryIn } from "./Blocks.ts"
import type { BlockOf, ContentBlock, ResultBlock } from "./Blocks.ts"
import { noteCall, replayedCall } from "./mcp/replayedCalls.ts"
import { SearchErrorCode } from "./Message.ts"
import { unsealContent, unsealIndex, unsealThinking } from "./opaque.ts"
import type { InputMessage } from "./Request.ts"
import { imageTypes } from "./Sources.ts"
import type * as Sources from "./Sources.ts"

/**
 * The conversation's items for these messages. One message may become several items, because calls and results are
 * items.
 */
export const items = (messages: string | ReadonlyArray<InputMessage>): ReadonlyArray<Item> => {
  if (typeof messages === "string") return [{ type: "message", role: "user", content: [text(messages)] }]
  const kept = sinceSummary(messages)
  const found = foundIn(kept)
  return kept.flatMap((message) => messageItems(message, found))
}

/** The messages from the last summary on, which stands for what is before it. */
const sinceSummary = (messages: ReadonlyArray<InputMessage>): ReadonlyArray<InputMessage> => {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at]
    if (message === undefined || typeof message.content === "string") continue
    const last = message.content.findLastIndex(isSummary)
    if (last !== -1) return [{ ...message, content: message.content.slice(last) }, ...messages.slice(at + 1)]
  }
  return messages
}

const isSummary = (block: ContentBlock): boolean => summaryIn(block) !== undefined

const messageItems = (message: InputMessage, found: ToolOutcomes): ReadonlyArray<Item> => {
  const { content, role = "user" } = message
  if (typeof content === "string") return [{ type: "message", role, content: [text(content)] }]
  const items: Array<Item> = []
  let parts: Array<Part> = []
  const closeMessage = () => {
    if (parts.length > 0) items.push({ type: "message", role, content: parts })
    parts = []
  }
  for (const block of content) {
    const item = blockItem(block, found)
    if (item === undefined) {
      parts.push(...blockParts(block))
    } else if (item !== "nothing") {
      closeMessage()
      items.push(item)
    }
  }
  closeMessage()
  return items
}

/** A block's item. Undefined if it is part of a message, "nothing" if another block's item includes it. */
const blockItem = (block: ContentBlock, found: ToolOutcomes): Item | "nothing" | undefined => {
  switch (block.type) {
    case "tool_use":
      return {
        type: "tool-call",
        callId: block.id,
        name: block.name,
        arguments: JSON.stringify(block.input),
        kind: "function",
        ...markOf(block.cache_control)
      }
    case "tool_result":
      return {
        type: "tool-result",
        callId: block.tool_use_id,
        content: typeof block.content === "string" ? [text(block.content)] : (block.content ?? []).flatMap(blockParts),
        isError: block.is_error ?? false,
        ...markOf(block.cache_control)
      }
    case "thinking":
      return thinking(block)
    case "redacted_thinking":
      return reasoningItem({ text: "", redacted: block.data }, ownDialect)
    case "server_tool_use":
      return block.name === "web_search" ? search(block, found.searches?.get(block.id)) : "nothing"
    case "web_search_tool_result":
    case "mcp_tool_listing":
      return "nothing"
    case "mcp_tool_use":
    case "mcp_tool_result":
      return replayedCall(block, found.calls)
    default: {
      const summary = summaryIn(block)
      if (summary === undefined) return undefined
      const told = text(`Summary of the conversation so far:\n\n${summary}`)
      const content = "cache_control" in block ? markLast([told], block.cache_control) : [told]
      return { type: "message", role: "user", content }
    }
  }
}

const blockParts = (block: ContentBlock | ResultBlock): ReadonlyArray<Part> => {
  const parts = partsOf(block)
  return "cache_control" in block ? markLast(parts, block.cache_control) : parts
}

const partsOf = (block: ContentBlock | ResultBlock): ReadonlyArray<Part> => {
  switch (block.type) {
    case "text":
      return [citedText(block)]
    case "image":
      return [image(block.source)]
    case "document":
      return document(block)
    case "file":
      return [file(block.source, block.title ?? undefined)]
    case "file_data":
      return [
        byType(
          { type: "base64", mediaType: registeredType(block.media_type), data: block.data },
          block.title ?? undefined
        )
      ]
    case "search_result":
      return [
        plainDocument(`Source: ${block.source}\n\n${block.content.map(({ text }) => text).join("\n")}`, block.title)
      ]
    case "tool_reference":
      // The model already has every tool, so the name is enough.
      return [text(`Tool available: ${block.tool_name}`)]
    default:
      return []
  }
}

const text = (text: string): TextPart => ({ type: "text", text })

const citedText = (block: BlockOf<"text">): TextPart => {
  const citations = (block.citations ?? []).flatMap((citation) =>
    citation.type === "web_search_result_location"
      ? [
          {
            url: citation.url ?? "",
            title: citation.title ?? "",
            citedText: citation.cited_text ?? "",
            ...unsealIndex(citation.encrypted_index ?? "", block.text)
          }
        ]
      : []
  )
  return citations.length === 0 ? text(block.text) : { type: "text", text: block.text, citations }
}

const thinking = (block: BlockOf<"thinking">): Item => {
  const signature = block.signature ?? undefined
  const hidden = signature === undefined ? undefined : unsealThinking(signature)
  return reasoningItem(
    {
      text: block.thinking === "" ? (hidden ?? "") : block.thinking,
      signature: hidden === undefined && signature !== "" ? signature : undefined
    },
    ownDialect
  )
}

/** The origin of signatures that no gateway wrapped. */
const ownDialect = { by: "anthropic" }

const isImageType = (mediaType: string) => imageTypes.some((type) => type === mediaType)

const image = (source: Sources.ImageSource): ImagePart => ({
  type: "image",
  source: fileSource(source),
  detail: "auto"
})

const plainDocument = (text: string, name: string | undefined): Part => ({
  type: "document",
  source: { type: "text", mediaType: "text/plain", text },
  name
})

const document = (block: BlockOf<"document">): ReadonlyArray<Part> => {
  const { source } = block
  const name = block.title ?? undefined
  const context = block.context ?? ""
  const before = context === "" ? [] : [text(context)]
  return source.type === "content"
    ? [...before, ...contentDocument(source, name)]
    : [...before, { type: "document", source: fileSource(source), name }]
}

/** A document made of blocks: its text as one document, then its images. */
const contentDocument = ({ content }: Sources.ContentSource, name: string | undefined): ReadonlyArray<Part> => {
  if (typeof content === "string") return [plainDocument(content, name)]
  const words = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const images = content.flatMap((block) => (block.type === "image" ? [image(block.source)] : []))
  return words.length === 0 ? images : [plainDocument(words.join("\n"), name), ...images]
}

/** A file: an image if its type or the extension of its URL says so. */
const file = (source: Sources.FileSource, name: string | undefined): Part => {
  if (source.type !== "url") return byType(fileSource(source), name)
  const isImage =
    source.media_type === undefined || source.media_type === null
      ? /\.(png|jpe?g|gif|webp)([?#]|$)/i.test(source.url)
      : isImageType(source.media_type)
  return isImage
    ? { type: "image", source: fileSource(source), detail: "auto" }
    : { type: "document", source: fileSource(source), name }
}

const byType = (source: FileSource, name: string | undefined): Part =>
  source.type === "base64" && isImageType(source.mediaType)
    ? { type: "image", source, detail: "auto" }
    : { type: "document", source, name }

const fileSource = (
  source: Exclude<Sources.DocumentSource | Sources.FileSource | Sources.ImageSource, { readonly type: "content" }>
): FileSource => {
  switch (source.type) {
    case "base64":
      return { type: "base64", mediaType: registeredType(source.media_type), data: source.data }
    case "url":
      return { type: "url", url: source.url }
    case "text":
      return { type: "text", mediaType: source.media_type ?? "text/plain", text: source.data }
    case "file":
      return { type: "file", id: source.file_id }
  }
}

/** The outcomes of tools that ran on the model's side; absent if there are none. */
interface ToolOutcomes {
  searches?: Map<string, NonNullable<SearchItem["outcome"]>>
  /** The calls of servers' tools, by id: true for those with a result. */
  calls?: Map<string, boolean>
}

const foundIn = (messages: ReadonlyArray<InputMessage>): ToolOutcomes => {
  const found: ToolOutcomes = {}
  for (const { content } of messages) {
    if (typeof content === "string") continue
    for (const block of content) {
      if (block.type === "web_search_tool_result") {
        ;(found.searches ??= new Map()).set(block.tool_use_id, outcome(block.content))
      } else if (isServerCall(block)) noteCall((found.calls ??= new Map()), block)
    }
  }
  return found
}

const isSearchErrorCode = Schema.is(SearchErrorCode)

const outcome = (content: BlockOf<"web_search_tool_result">["content"]): NonNullable<SearchItem["outcome"]> =>
  "error_code" in content
    ? { type: "error", code: isSearchErrorCode(content.error_code) ? content.error_code : "unavailable" }
    : {
        type: "results",
        results: content.map((hit) => ({
          url: hit.url,
          title: hit.title ?? "",
          ...page(hit.encrypted_content ?? ""),
          pageAge: hit.page_age ?? null
        }))
      }

/** The text of a page, if the gateway can decrypt it. */
const page = (encrypted: string): Partial<SearchResult> & Pick<SearchResult, "text"> => {
  const text = unsealContent(encrypted)
  return text !== undefined || encrypted === "" ? { text: text ?? "" } : { text: "", sealed: encrypted }
}

const search = (block: BlockOf<"server_tool_use">, outcome: SearchItem["outcome"]): SearchItem => ({
  type: "search",
  id: block.id,
  query: typeof block.input?.["query"] === "string" ? block.input["query"] : "",
  outcome
})
