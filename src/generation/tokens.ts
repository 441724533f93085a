import type { Conversation, FileSource, Item, OutputFormat, Part, Tool } from "./Conversation.ts"
import { countText } from "./tokenizer.ts"

export { countText }

/**
 * Input tokens of a conversation: its texts in o200k_base and three tokens of framing for each item. What has no text is
 * estimated: an image is 85 tokens in low detail and 765 otherwise (1024 × 1024 at OpenAI); a document of text counts as
 * its text; any other document is 2,000 tokens for each 50 KB begun, and 2,000 where only its address is known.
 */
export const countTokens = (conversation: Conversation): number => {
  let tokens = framing
  for (const text of conversation.system) tokens += framing + countText(text)
  for (const item of conversation.items) tokens += countItem(item)
  for (const tool of conversation.tools) tokens += countTool(tool)
  return tokens + countFormat(conversation.format)
}

/** One item's share of its conversation's tokens. */
export const countItem = (item: Item): number => framing + contentOf(item)

/**
 * More tokens than the conversation can have, from lengths alone: a token is one byte or more, a UTF-16 unit three bytes
 * at most. Lets whoever asks whether a short conversation fits skip the count. Tools and schemas are looked into only
 * as far as their number.
 */
export const mostTokens = (conversation: Conversation): number => {
  if (conversation.tools.length > 0 || conversation.format.type === "json-schema") return Infinity
  let most = framing
  for (const text of conversation.system) most += framing + text.length * bytesPerUnit
  for (const item of conversation.items) {
    if (item.type !== "message") return Infinity
    most += framing
    for (const part of item.content) {
      if (part.type !== "text" && part.type !== "refusal") return Infinity
      most += part.text.length * bytesPerUnit
    }
  }
  return most
}

const framing = 3
const bytesPerUnit = 3
const lowDetailImage = 85
const image = 765
const documentPage = 2_000
const documentPageBytes = 50_000
/** A search tool's own description at the model. */
const searchTool = 40

const contentOf = (item: Item): number => {
  switch (item.type) {
    case "message":
      return sum(item.content, countPart)
    case "reasoning":
      return countText(item.text === "" ? (item.redacted ?? "") : item.text)
    case "tool-call":
      return countText(item.name) + countText(item.arguments)
    case "tool-result":
      return sum(item.content, countPart)
    case "search":
      return (
        countText(item.query) +
        (item.outcome?.type === "results"
          ? sum(item.outcome.results, (result) => countText(result.title) + countText(result.text))
          : 0)
      )
  }
}

const countPart = (part: Part): number => {
  switch (part.type) {
    case "text":
    case "refusal":
      return countText(part.text)
    case "image":
      return part.detail === "low" ? lowDetailImage : image
    case "document":
      return countDocument(part.source)
  }
}

const countDocument = (source: FileSource): number => {
  if (source.type === "text") return countText(source.text)
  if (source.type !== "base64") return documentPage
  if (source.mediaType.startsWith("text/")) return countText(textOf(source.data))
  return documentPage * Math.max(1, Math.ceil((source.data.length * 0.75) / documentPageBytes))
}

/** The text behind base64, or behind a data URL's. */
const textOf = (data: string) =>
  Buffer.from(data.startsWith("data:") ? data.slice(data.indexOf(",") + 1) : data, "base64").toString()

const countTool = (tool: Tool): number => {
  if (tool.type === "search") return searchTool
  const text = countText(tool.name) + countText(tool.description ?? "") + framing
  return tool.type === "function" ? text + countText(JSON.stringify(tool.parameters)) : text
}

const countFormat = (format: OutputFormat): number =>
  format.type === "json-schema" ? framing + countText(JSON.stringify(format.schema)) : 0

const sum = <A>(all: ReadonlyArray<A>, tokens: (one: A) => number): number => {
  let total = 0
  for (const one of all) total += tokens(one)
  return total
}
