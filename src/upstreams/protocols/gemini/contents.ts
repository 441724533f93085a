import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, Item, Part, ToolCallItem, ToolResultItem } from "../../../generation/Conversation.ts"
import { signedImageId } from "../../../generation/signedText.ts"
import type { CallSignatures } from "../../Upstream.ts"
import type { Back } from "../back.ts"
import { wrapCustom } from "../back.ts"
import { conversationBegins, foundWords, markedDocument, markedSystem, plainText } from "../documents.ts"
import { callInput } from "../notes.ts"
import type { Notes } from "../notes.ts"
import { oneResultEach } from "../oneResultEach.ts"
import { isOwnSearch } from "./grounding.ts"
import { inResult, leftOut } from "../inResult.ts"
import { documentPart, imagePart } from "./media.ts"
import type { Traits } from "./models.ts"
import { readStored } from "./serverParts.ts"
import { standIn, textParts } from "./signedParts.ts"

/** A turn of the conversation. The dialect has two roles; results of functions are the user's. */
interface Content {
  readonly role: "user" | "model"
  readonly parts: Array<JsonObject>
}

interface Contents {
  /** The system text's parts. */
  readonly system: ReadonlyArray<JsonObject>
  readonly contents: ReadonlyArray<Content>
}

interface Recipient {
  readonly traits: Traits
  /** True if the model also wants signatures on its images and at the beginning of its turns. */
  readonly signsImages: boolean
  readonly signatures: CallSignatures
}

/** A conversation's items as alternating turns. System text between them becomes marked user text. */
export const contentsOf = (conversation: Conversation, to: Recipient, back: Back, notes: Notes): Contents => {
  const system = conversation.system.flatMap(plain)
  const contents: Array<Content> = []
  const names = new Map<string, string>()
  for (const item of oneResultEach(conversation.items)) {
    if (item.type === "message" && item.role === "system" && contents.length === 0) {
      system.push(...item.content.flatMap((part) => userPart(part, notes)))
      continue
    }
    if (item.type === "tool-call") names.set(item.callId, back.upstreamName(item.name))
    const role = roleOf(item)
    const parts = partsOf(item, to, names, back, notes)
    if (parts.length === 0) continue
    const last = contents.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts: [...parts] })
  }
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [{ text: conversationBegins }] })
  return { system, contents: contents.map((content) => finished(content, to)) }
}

const roleOf = (item: Item): Content["role"] => {
  if (item.type === "message") return item.role === "assistant" ? "model" : "user"
  return item.type === "tool-result" ? "user" : "model"
}

/** Results come first in a turn, and its first call is signed; of a model that makes images, also what else it signs. */
const finished = ({ parts, role }: Content, { signsImages, traits }: Recipient): Content => {
  if (role === "user") {
    const results = parts.filter(({ functionResponse }) => functionResponse !== undefined)
    const others = parts.filter(({ functionResponse }) => functionResponse === undefined)
    return { role, parts: [...results, ...others] }
  }
  const first = traits.signs ? parts.findIndex(({ functionCall }) => functionCall !== undefined) : -1
  const isSigned = ({ inlineData }: JsonObject, at: number) =>
    at === first || (signsImages && (at === 0 || inlineData !== undefined))
  return { role, parts: parts.map((part, at) => (isSigned(part, at) ? { thoughtSignature: standIn, ...part } : part)) }
}

const partsOf = (
  item: Item,
  to: Recipient,
  names: ReadonlyMap<string, string>,
  back: Back,
  notes: Notes
): ReadonlyArray<JsonObject> => {
  switch (item.type) {
    case "message":
      if (item.role === "assistant") return item.content.flatMap((part) => assistantPart(part, to, notes))
      return item.content.flatMap((part) =>
        item.role === "system" && part.type === "text" ? plain(markedSystem(part.text)) : userPart(part, notes)
      )
    case "reasoning":
      // Its own thoughts need not come back: their signatures are in the answer's parts.
      if (item.signature !== undefined || item.redacted !== undefined) notes.adapt("reasoning")
      return []
    case "tool-call":
      return call(item, to, back, notes)
    case "tool-result":
      return result(item, to, names.get(item.callId) ?? "unknown", notes)
    case "search":
      if (isOwnSearch(item.id)) return []
      if (item.outcome?.type === "results") return [{ text: foundWords(item.query, item.outcome.results) }]
      notes.adapt("web_search_call")
      return []
  }
}

const plain = (text: string): Array<JsonObject> => (text === "" ? [] : [{ text }])

const assistantPart = (part: Part, { signatures }: Recipient, notes: Notes): ReadonlyArray<JsonObject> => {
  if (part.type === "text" || part.type === "refusal") return textParts(part.text, signatures)
  if (part.type !== "image" || part.source.type !== "base64") return userPart(part, notes)
  const thoughtSignature = signatures.get(signedImageId(part.source.data))
  const image = imagePart(part, notes)
  return thoughtSignature === undefined ? image : image.map((one) => ({ ...one, thoughtSignature }))
}

const userPart = (part: Part, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
    case "refusal":
      return plain(part.text)
    case "image":
      return imagePart(part, notes)
    case "document":
      return documentPart(part, notes)
  }
}

const call = (item: ToolCallItem, { signatures }: Recipient, back: Back, notes: Notes): ReadonlyArray<JsonObject> => {
  const text = item.kind === "custom" ? wrapCustom(item.arguments) : item.arguments
  const { before, signature: thoughtSignature } = readStored(signatures.get(item.callId))
  return [
    ...before,
    {
      functionCall: { id: item.callId, name: back.upstreamName(item.name), args: callInput(text, notes) },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature })
    }
  ]
}

/** A result is an object; its images and documents go inside where the model takes them there, else behind it. */
const result = (
  { callId, content, isError }: ToolResultItem,
  { traits }: Recipient,
  name: string,
  notes: Notes
): ReadonlyArray<JsonObject> => {
  const texts: Array<string> = []
  const files: Array<JsonObject> = []
  for (const part of content) {
    const text = part.type === "document" ? plainText(part.source) : undefined
    if (part.type === "document" && text !== undefined) texts.push(markedDocument(part, text))
    else if (part.type === "text" || part.type === "refusal") texts.push(part.text)
    else {
      const file = inResult(notes, (own) => userPart(part, own))
      if (file === undefined) texts.push(leftOut(part.type))
      else files.push(...file.filter(({ text }) => text === undefined))
    }
  }
  const response = { [isError ? "error" : "output"]: texts.join("\n\n") }
  const isInside = traits.richResults && files.length > 0
  return [
    { functionResponse: { id: callId, name, response, ...(isInside ? { parts: files } : {}) } },
    ...(isInside ? [] : files)
  ]
}
