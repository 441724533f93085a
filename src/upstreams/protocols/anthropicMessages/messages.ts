import type { JsonObject } from "../../../contract/fields.ts"
import type {
  Conversation,
  DocumentPart,
  FileSource,
  Item,
  Part,
  SearchItem,
  Marked
} from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { goOn, needsUser } from "./lastTurn.ts"
import { cacheControl, markedLast } from "./marks.ts"
import { isBlank, withoutTrail } from "./blankText.ts"
import { wrapCustom } from "../back.ts"
import { anthropicId } from "../callIds.ts"
import { foundWords, markedSystem, plainText } from "../documents.ts"
import { inResult, leftOut } from "../inResult.ts"
import { callInput } from "../notes.ts"
import type { Notes } from "../notes.ts"
import { oneResultEach } from "../oneResultEach.ts"
import { isFrom } from "../../../generation/origin.ts"

/** The provider of these reasoning signatures. */
export const signs = "anthropic"

export interface MessageTurn {
  readonly role: "user" | "assistant"
  readonly content: Array<JsonObject>
}

export interface LoweredMessages {
  readonly system: ReadonlyArray<JsonObject>
  readonly turns: ReadonlyArray<MessageTurn>
}

/** The requested model. */
interface Recipient {
  readonly model: string
  readonly knownAs?: string | undefined
}

/** A conversation's items as alternating turns. System text between them becomes marked user text. */
export const lowerMessages = (conversation: Conversation, to: Recipient, back: Back, notes: Notes): LoweredMessages => {
  const system = conversation.system.flatMap((text) =>
    textBlock(text, { cacheMark: conversation.systemMarks?.get(text) })
  )
  const turns: Array<MessageTurn> = []
  for (const item of oneResultEach(conversation.items)) {
    if (item.type === "message" && item.role === "system" && turns.length === 0) {
      system.push(...item.content.flatMap((part) => block(part, notes)))
    } else {
      const role = roleOf(item)
      add(turns, role, blocks(item, to, back, notes))
    }
  }
  if (needsUser(turns.at(-1)?.role, to.knownAs ?? to.model, conversation, notes)) {
    add(turns, "user", [{ type: "text", text: goOn }])
  }
  const last = turns.at(-1)
  const ending = last?.content.at(-1)
  if (last?.role === "assistant" && ending !== undefined) last.content.splice(-1, 1, withoutTrail(ending))
  const ordered = turns.map(resultsFirst)
  return { system, turns: ordered.map((turn) => (turn === ordered.at(-1) ? endMarked(turn, conversation) : turn)) }
}

const endMarked = ({ content, role }: MessageTurn, mark: Marked): MessageTurn => ({
  role,
  content: markedLast(content, mark)
})

const roleOf = (item: Item): MessageTurn["role"] => {
  if (item.type === "message") return item.role === "assistant" ? "assistant" : "user"
  return item.type === "tool-result" ? "user" : "assistant"
}

const add = (turns: Array<MessageTurn>, role: MessageTurn["role"], content: ReadonlyArray<JsonObject>) => {
  if (content.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.content.push(...content)
  else turns.push({ role, content: [...content] })
}

/** Tool results go before anything else in a user turn. */
const resultsFirst = (turn: MessageTurn): MessageTurn => {
  const isResult = (block: JsonObject) => block["type"] === "tool_result"
  return {
    role: turn.role,
    content: [...turn.content.filter(isResult), ...turn.content.filter((block) => !isResult(block))]
  }
}

const blocks = (item: Item, to: Recipient, back: Back, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (item.type) {
    case "message":
      return item.content.flatMap((part) => {
        if (item.role === "system" && part.type === "text") return textBlock(markedSystem(part.text), part)
        if (item.role !== "assistant" || part.type !== "image") return block(part, notes)
        // The assistant's turns have none.
        notes.adapt("image")
        return []
      })
    case "reasoning":
      // The upstream accepts thinking only with its own signature.
      if (isFrom(item, signs, to.model)) {
        if (item.redacted !== undefined) return [{ type: "redacted_thinking", data: item.redacted }]
        if (item.signature !== undefined) {
          return [{ type: "thinking", thinking: item.text, signature: item.signature }]
        }
      }
      notes.adapt("reasoning")
      return []
    case "tool-call": {
      const text = item.kind === "custom" ? wrapCustom(item.arguments) : item.arguments
      const input = callInput(text, notes)
      return [
        {
          type: "tool_use",
          id: anthropicId(item.callId),
          name: back.upstreamName(item.name),
          input,
          ...cacheControl(item)
        }
      ]
    }
    case "tool-result": {
      const content = item.content.flatMap(
        (part) => inResult(notes, (own) => block(part, own)) ?? textBlock(leftOut(part.type), part)
      )
      return [
        {
          type: "tool_result",
          tool_use_id: anthropicId(item.callId),
          ...(content.length === 0 ? {} : { content }),
          ...(item.isError ? { is_error: true } : {}),
          ...cacheControl(item)
        }
      ]
    }
    case "search":
      return searched(item, back, notes)
  }
}

/** A search that ran elsewhere lacks this upstream's encryption, so it is replayed as text. */
const searched = (item: SearchItem, back: Back, notes: Notes): ReadonlyArray<JsonObject> => {
  if (item.outcome?.type !== "results") {
    notes.adapt("web_search_call")
    return []
  }
  const { id, query } = item
  const own = id.startsWith("srvtoolu_") && item.outcome.results.every(({ sealed }) => sealed !== undefined)
  if (own) {
    const content = item.outcome.results.map(({ pageAge, sealed, title, url }) => ({
      type: "web_search_result",
      url,
      title,
      encrypted_content: sealed,
      page_age: pageAge
    }))
    return [
      { type: "server_tool_use", id, name: back.upstreamName("web_search"), input: { query } },
      { type: "web_search_tool_result", tool_use_id: id, content }
    ]
  }
  return textBlock(foundWords(item.query, item.outcome.results))
}

const textBlock = (text: string, mark: Marked = {}): Array<JsonObject> =>
  isBlank(text) ? [] : [{ type: "text", text, ...cacheControl(mark) }]

const block = (part: Part, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
      return textBlock(part.text, part)
    case "refusal":
      return textBlock(part.text)
    case "image":
      if (part.detail !== "auto") notes.adapt("detail")
      return [{ type: "image", source: source(part.source), ...cacheControl(part) }]
    case "document":
      return document(part, notes)
  }
}

const source = (source: FileSource): JsonObject => {
  switch (source.type) {
    case "base64":
      return { type: "base64", media_type: source.mediaType, data: source.data }
    case "url":
      return { type: "url", url: source.url }
    case "text":
      return { type: "text", media_type: "text/plain", data: source.text }
    case "file":
      return { type: "file", file_id: source.id }
  }
}

const document = (part: DocumentPart, notes: Notes): ReadonlyArray<JsonObject> => {
  const text = plainText(part.source)
  const from: FileSource = text === undefined ? part.source : { type: "text", mediaType: "text/plain", text }
  if (from.type === "base64" && from.mediaType !== "application/pdf") {
    notes.refuse("document", `the model's upstream can't read ${from.mediaType}; send a PDF or text`)
    return []
  }
  if (from.type === "text" && from.text === "") return []
  const title = part.name === undefined ? {} : { title: part.name }
  return [{ type: "document", source: source(from), ...title, ...cacheControl(part) }]
}
