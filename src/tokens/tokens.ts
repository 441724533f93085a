import type { Conversation, FileSource, Item, OutputFormat, Part, Tool } from "../generation/Conversation.ts"
import { countText, countTexts, isExact } from "./tokenizer.ts"

export { countText }

/**
 * The input tokens of a conversation, cached per conversation: its texts in o200k_base (uncounted long ones are
 * estimated together), and three tokens of framing per item. Other parts are estimates: an image is 85 tokens in low
 * detail, otherwise 765 (1024 × 1024 at OpenAI); a text document counts as its text, any other document as 2,000 tokens
 * per 50 KB begun (audio and video: in proportion), or 2,000 if only its URL is known; parts that only the upstream
 * understands are a token per four bytes.
 */
export const countTokens = (conversation: Conversation): number => count(conversation).tokens

/**
 * An upper bound of `countTokens`, for holds: a caller could know the samples of texts that are estimated, so those count
 * as a token per byte, which no tokenizer exceeds.
 */
export const mostCounted = (conversation: Conversation): number => {
  const { estimated, exact } = count(conversation)
  return estimated.reduce((most, text) => most + Buffer.byteLength(text), exact)
}

/**
 * Counts single items as shares of the conversation's tokens. An estimate is a low one, so that dropping items frees
 * enough room.
 */
export const itemCounter = (conversation: Conversation): ((item: Item) => number) => {
  const { characters, ofTexts } = count(conversation)
  const low = (0.95 * ofTexts) / Math.max(1, characters)
  return (item) => {
    const tally = new Tally()
    tally.addItem(item)
    return tally.fixed + (isExact(characters) ? countTexts(tally.texts).tokens : Math.floor(tally.characters * low))
  }
}

/**
 * An upper bound of the conversation's tokens from lengths alone: a token is at least one byte, a UTF-16 unit at most
 * three. Most short conversations thus need no count to show that they fit. Tools and schemas are only read up to a
 * limit.
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

/** Input tokens that are no text. */
export interface ModalTokens {
  readonly audio: number
  readonly image: number
  readonly video: number
}

/** The tokens of sound, images and film among those that are counted. */
export const modalTokens = (conversation: Conversation): ModalTokens => count(conversation).modal

const framing = 3
const bytesPerUnit = 3
/** For JSON that the gateway does not read. */
const bytesPerToken = 4
const lowDetailImage = 85
const image = 765
const documentPage = 2_000
const documentPageBytes = 50_000
/** A search tool's description at the model. */
const searchTool = 40

interface Count {
  readonly tokens: number
  readonly ofTexts: number
  readonly characters: number
  /** The texts that are estimated, and the tokens of everything else. */
  readonly estimated: ReadonlyArray<string>
  readonly exact: number
  readonly modal: ModalTokens
}

const counts = new WeakMap<Conversation, Count>()

const count = (conversation: Conversation): Count => {
  const before = counts.get(conversation)
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
  const { estimated, exact, tokens: ofTexts } = countTexts(tally.texts)
  const { characters, fixed, modal } = tally
  const count = { tokens: fixed + ofTexts, ofTexts, characters, estimated, exact: fixed + exact, modal }
  counts.set(conversation, count)
  return count
}

/** The texts to count, and the tokens known or estimated without a text. */
class Tally {
  fixed = 0
  characters = 0
  readonly modal = { audio: 0, image: 0, video: 0 }
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
        this.addModal("image", part.detail === "low" ? lowDetailImage : image)
        return
      case "document":
        this.addDocument(part.source)
    }
  }

  private addDocument(source: FileSource): void {
    if (source.type === "text") this.addText(source.text)
    else if (source.type !== "base64") this.fixed += documentPage
    else if (source.mediaType.startsWith("text/")) this.addText(textOf(source.data))
    else {
      const pages = (source.data.length * 0.75) / documentPageBytes
      const [, modality] = /^(audio|video)\//.exec(source.mediaType) ?? []
      if (modality === "audio" || modality === "video") this.addModal(modality, Math.ceil(documentPage * pages))
      else this.fixed += documentPage * Math.max(1, Math.ceil(pages))
    }
  }

  private addModal(modality: keyof ModalTokens, tokens: number): void {
    this.fixed += tokens
    this.modal[modality] += tokens
  }
}

/** The text in base64 or in a data URL. */
const textOf = (data: string) =>
  Buffer.from(data.startsWith("data:") ? data.slice(data.indexOf(",") + 1) : data, "base64").toString()
