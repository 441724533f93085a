import type { Conversation, FileSource, Item, OutputFormat, Part, Tool } from "../generation/Conversation.ts"
import { countText, countTexts, isExact } from "./tokenizer.ts"

export { countText }

/**
 * Input tokens of a conversation: its texts in o200k_base (those that were not counted before are estimated together where
 * they are long) and three tokens of framing for each item. What has no text is estimated: an image is 85 tokens in low
 * detail and 765 otherwise (1024 × 1024 at OpenAI); a document of text counts as its text; any other document is 2,000
 * tokens for each 50 KB begun, and 2,000 where only its address is known; what only the upstream understands is a token
 * for every four bytes. Counted once a conversation, whoever asks.
 */
export const countTokens = (conversation: Conversation): number => counted(conversation).tokens

/**
 * Counts single items of a conversation: each one's share of the conversation's tokens. Where those are an estimate it is
 * a low one, so that whoever drops items to make room drops enough.
 */
export const itemCounter = (conversation: Conversation): ((item: Item) => number) => {
  const { characters, ofTexts } = counted(conversation)
  const low = (0.95 * ofTexts) / Math.max(1, characters)
  return (item) => {
    const tally = new Tally()
    tally.addItem(item)
    return tally.fixed + (isExact(characters) ? countTexts(tally.texts) : Math.floor(tally.characters * low))
  }
}

/**
 * More tokens than the conversation can have, from lengths alone: a token is one byte or more, a UTF-16 unit three bytes
 * at most. Lets whoever asks whether a short conversation fits skip the count. Tools and schemas are looked into only
 * as far as their number.
 */
export const mostTokens = (conversation: Conversation): number => {
  if (
    conversation.tools.length > 0 ||
    conversation.unknownBytes !== undefined ||
    conversation.format.type === "json-schema"
  )
    return Infinity
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
/** Of JSON that nobody here understands. */
const bytesPerToken = 4
const lowDetailImage = 85
const image = 765
const documentPage = 2_000
const documentPageBytes = 50_000
/** A search tool's own description at the model. */
const searchTool = 40

interface Count {
  readonly tokens: number
  readonly ofTexts: number
  readonly characters: number
}

const known = new WeakMap<Conversation, Count>()

const counted = (conversation: Conversation): Count => {
  const before = known.get(conversation)
  if (before !== undefined) return before
  const tally = new Tally()
  tally.fixed += framing
  for (const text of conversation.system) {
    tally.fixed += framing
    tally.addText(text)
  }
  for (const item of conversation.items) tally.addItem(item)
  for (const tool of conversation.tools) tally.addTool(tool)
  tally.addFormat(conversation.format)
  tally.fixed += Math.ceil((conversation.unknownBytes ?? 0) / bytesPerToken)
  const ofTexts = countTexts(tally.texts)
  const count = { tokens: tally.fixed + ofTexts, ofTexts, characters: tally.characters }
  known.set(conversation, count)
  return count
}

/** What is to be counted: texts, and tokens that are known or estimated without any. */
class Tally {
  fixed = 0
  characters = 0
  readonly texts: Array<string> = []

  addText(text: string): void {
    if (text === "") return
    this.characters += text.length
    this.texts.push(text)
  }

  addItem(item: Item): void {
    this.fixed += framing
    switch (item.type) {
      case "message":
      case "tool-result":
        for (const part of item.content) this.addPart(part)
        return
      case "reasoning":
        this.addText(item.text === "" ? (item.redacted ?? "") : item.text)
        return
      case "tool-call":
        this.addText(item.name)
        this.addText(item.arguments)
        return
      case "search":
        this.addText(item.query)
        if (item.outcome?.type !== "results") return
        for (const result of item.outcome.results) {
          this.addText(result.title)
          this.addText(result.text)
        }
    }
  }

  addTool(tool: Tool): void {
    if (tool.type === "search") {
      this.fixed += searchTool
      return
    }
    this.fixed += framing
    this.addText(tool.name)
    this.addText(tool.description ?? "")
    if (tool.type === "function") this.addText(JSON.stringify(tool.parameters))
  }

  addFormat(format: OutputFormat): void {
    if (format.type !== "json-schema") return
    this.fixed += framing
    this.addText(JSON.stringify(format.schema))
  }

  private addPart(part: Part): void {
    switch (part.type) {
      case "text":
      case "refusal":
        this.addText(part.text)
        return
      case "image":
        this.fixed += part.detail === "low" ? lowDetailImage : image
        return
      case "document":
        this.addDocument(part.source)
    }
  }

  private addDocument(source: FileSource): void {
    if (source.type === "text") this.addText(source.text)
    else if (source.type !== "base64") this.fixed += documentPage
    else if (source.mediaType.startsWith("text/")) this.addText(textOf(source.data))
    else this.fixed += documentPage * Math.max(1, Math.ceil((source.data.length * 0.75) / documentPageBytes))
  }
}

/** The text behind base64, or behind a data URL's. */
const textOf = (data: string) =>
  Buffer.from(data.startsWith("data:") ? data.slice(data.indexOf(",") + 1) : data, "base64").toString()
