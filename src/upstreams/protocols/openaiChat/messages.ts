import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, DocumentPart, ImagePart, Item, Part, SearchItem } from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { wrapCustom } from "../back.ts"
import { dataUri, isSealed, markedDocument, markedSystem, plainText } from "../documents.ts"
import { inResult, leftOut } from "../inResult.ts"
import type { Notes } from "../notes.ts"
import { oneResultEach } from "../oneResultEach.ts"
import type { CallSignatures } from "../../Upstream.ts"
import type { Provider } from "./Provider.ts"
import { detailsOf } from "./reasoningDetails.ts"
import { signedCalls, standIn } from "./signedCalls.ts"

type Content = string | ReadonlyArray<JsonObject>

/** A message in progress. The dialect wants one assistant message per turn, directly followed by its tools' results. */
type Draft =
  | { readonly role: "system" | "user"; readonly content: Content }
  | { readonly role: "tool"; readonly callId: string; readonly content: string }
  | { readonly role: "assistant"; text: string; reasoning: string; readonly calls: Array<JsonObject> }

/** The recipient of the messages. */
interface Recipient {
  readonly provider: Provider
  /** Signatures of the calls in the conversation. */
  readonly signatures: CallSignatures | undefined
}

const noSignatures: CallSignatures = new Map()

/** A conversation's items as messages. */
export const lowerMessages = (
  conversation: Conversation,
  { provider, signatures = noSignatures }: Recipient,
  back: Back,
  notes: Notes
): ReadonlyArray<JsonObject> => {
  const drafts = new Drafts()
  const system = [...conversation.system]
  let leading = true
  for (const item of oneResultEach(conversation.items)) {
    if (item.type === "message" && item.role === "system") {
      const text = joined(item.content, notes)
      if (leading) system.push(text)
      else if (provider.systemAnywhere) drafts.say({ role: "system", content: text })
      else drafts.say({ role: "user", content: markedSystem(text) })
      continue
    }
    leading = false
    addItem(drafts, item, back, provider, notes)
  }
  const instructions = system.filter((text) => text !== "").join("\n\n")
  const all: ReadonlyArray<Draft> =
    instructions === "" ? drafts.all() : [{ role: "system", content: instructions }, ...drafts.all()]
  const loop = beginOfLoop(all)
  const messages: Array<JsonObject> = []
  for (const [index, draft] of all.entries()) {
    messages.push(written(draft, { provider, signatures }, index > loop))
  }
  return messages
}

/**
 * The index of the last question of the user. Messages directly after tool results (a reminder, an image) belong to the
 * results.
 */
const beginOfLoop = (drafts: ReadonlyArray<Draft>): number => {
  let at = drafts.length - 1
  while (at >= 0) {
    let before = at
    while (drafts[before]?.role === "user") before--
    if (before < at && drafts[before]?.role !== "tool") return at
    at = Math.min(before, at - 1)
  }
  return at
}

/** The messages so far. */
class Drafts {
  /** Up to the last assistant or tool message. */
  readonly #drafts: Array<Draft> = []
  /** Messages since then. */
  readonly #meanwhile: Array<Draft> = []

  all(): ReadonlyArray<Draft> {
    return [...this.#drafts, ...this.#meanwhile]
  }

  say(draft: Draft & { readonly role: "system" | "user" }): void {
    this.#meanwhile.push(draft)
  }

  /** Adds a result after its turn's calls, before later user messages. */
  addResult(callId: string, content: string): void {
    this.#drafts.push({ role: "tool", callId, content })
  }

  /** The current assistant message. */
  assistant() {
    const last = this.#drafts.at(-1)
    if (last?.role === "assistant" && this.#meanwhile.length === 0) return last
    const draft = { role: "assistant", text: "", reasoning: "", calls: [] } satisfies Draft
    for (const draft of this.#meanwhile.splice(0)) this.#drafts.push(draft)
    this.#drafts.push(draft)
    return draft
  }
}

const addItem = (drafts: Drafts, item: Item, back: Back, provider: Provider, notes: Notes): void => {
  switch (item.type) {
    case "message":
      if (item.role === "assistant") append(drafts, joined(item.content, notes))
      else drafts.say({ role: "user", content: userContent(item.content, provider, notes) })
      return
    case "reasoning":
      drafts.assistant().reasoning += item.text
      return
    case "tool-call":
      drafts
        .assistant()
        .calls.push(
          call(
            provider.callIds(item.callId),
            back.upstreamName(item.name),
            item.kind === "custom" ? wrapCustom(item.arguments) : item.arguments
          )
        )
      return
    case "tool-result":
      addResult(drafts, item.callId, item.content, item.isError, provider, notes)
      return
    case "search":
      addSearch(drafts, item, provider, notes)
  }
}

const append = (drafts: Drafts, text: string) => {
  const draft = drafts.assistant()
  draft.text += draft.text === "" || text === "" ? text : `\n\n${text}`
}

const call = (id: string, name: string, text: string): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: text === "" ? "{}" : text }
})

/** A tool's result is text; its images and PDFs follow as a user message. */
const addResult = (
  drafts: Drafts,
  callId: string,
  content: ReadonlyArray<Part>,
  isError: boolean,
  provider: Provider,
  notes: Notes
) => {
  const words: Array<Part> = []
  const shown: Array<JsonObject> = []
  for (const part of content) {
    const isText = part.type !== "image" && !(part.type === "document" && plainText(part.source) === undefined)
    const file = isText ? undefined : inResult(notes, (own) => userPart(part, provider, own))
    if (file !== undefined) shown.push(...file)
    else words.push(isText ? part : { type: "text", text: leftOut(part.type) })
  }
  const text = joined(words, notes)
  drafts.addResult(callId, isError ? `Error: ${text}` : text)
  if (shown.length === 0) return
  drafts.say({ role: "user", content: [{ type: "text", text: `Files in the result of ${callId}:` }, ...shown] })
}

/** A search that ran elsewhere becomes a call with its result. One whose results are lost is dropped. */
const addSearch = (drafts: Drafts, item: SearchItem, provider: Provider, notes: Notes) => {
  if (item.outcome === undefined) {
    notes.adapt("web_search_call")
    return
  }
  if (isSealed(item.outcome)) notes.adapt("encrypted_content")
  const result =
    item.outcome.type === "error"
      ? `Error: ${item.outcome.code}`
      : item.outcome.results.map((result) => `${result.title}\n${result.url}\n${result.text}`).join("\n\n")
  drafts.assistant().calls.push(call(provider.callIds(item.id), "web_search", JSON.stringify({ query: item.query })))
  drafts.addResult(item.id, result)
}

const written = (draft: Draft, { provider, signatures = noSignatures }: Recipient, inLoop: boolean): JsonObject => {
  switch (draft.role) {
    case "system":
      return { role: provider.systemRole, content: draft.content }
    case "user":
      return { role: "user", content: draft.content }
    case "tool":
      return { role: "tool", tool_call_id: provider.callIds(draft.callId), content: draft.content }
    case "assistant": {
      const { replayReasoning, signsCalls } = provider
      const calls = signsCalls === "thought_signature" ? signedCalls(draft.calls, signatures, standIn) : draft.calls
      const details = signsCalls === "reasoning_details" ? detailsOf(calls, signatures) : undefined
      return {
        role: "assistant",
        content: draft.text === "" && calls.length > 0 ? null : draft.text,
        // DeepSeek wants reasoning back inside a tool loop and nowhere else.
        ...(details === undefined && inLoop && calls.length > 0 && draft.reasoning !== ""
          ? Object.fromEntries(replayReasoning.map((name) => [name, draft.reasoning]))
          : {}),
        ...(details === undefined ? {} : { reasoning_details: details }),
        ...(calls.length > 0 ? { tool_calls: calls } : {})
      }
    }
  }
}

/** Plain text stays a string, which the simplest servers read too. */
const userContent = (parts: ReadonlyArray<Part>, provider: Provider, notes: Notes): Content =>
  parts.every((part) => part.type === "text")
    ? parts.map((part) => part.text).join("\n\n")
    : parts.flatMap((part) => userPart(part, provider, notes))

const userPart = (part: Part, provider: Provider, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: part.text }]
    case "image":
      return image(part, provider, notes)
    case "document":
      return document(part, provider, notes)
  }
}

const image = ({ source, detail }: ImagePart, { images }: Provider, notes: Notes): ReadonlyArray<JsonObject> => {
  if (images === "none") {
    notes.refuse("image", "the model's upstream takes none")
    return []
  }
  if (source.type === "base64" && images?.test(source.mediaType) === false) {
    notes.refuse("image", `the model's upstream can't read ${source.mediaType}`)
    return []
  }
  const url =
    source.type === "base64" ? dataUri(source.mediaType, source.data) : source.type === "url" ? source.url : undefined
  if (url === undefined) {
    notes.refuse("image", "the model's upstream takes an image's address or its bytes, not a file id")
    return []
  }
  // The dialect has no `original`, which is all that the model can read.
  if (detail === "original") notes.adapt("detail")
  const wanted = detail === "original" ? "high" : detail
  return [{ type: "image_url", image_url: { url, ...(wanted === "auto" ? {} : { detail: wanted }) } }]
}

const document = (part: DocumentPart, provider: Provider, notes: Notes): ReadonlyArray<JsonObject> => {
  const text = plainText(part.source)
  if (text !== undefined) return [{ type: "text", text: markedDocument(part, text) }]
  const { source } = part
  if (provider.documents === true && source.type === "base64") {
    const file = { filename: part.name ?? "document.pdf", file_data: dataUri(source.mediaType, source.data) }
    return [{ type: "file", file }]
  }
  notes.refuse(
    "document",
    source.type === "base64"
      ? `the model's upstream can't read ${source.mediaType}; send a PDF or text`
      : "the model's upstream can't fetch a document; send its bytes as base64"
  )
  return []
}

/** The parts joined, where only text fits. */
const joined = (parts: ReadonlyArray<Part>, notes: Notes): string =>
  parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "refusal") return [part.text]
      const text = part.type === "document" ? plainText(part.source) : undefined
      if (part.type === "document" && text !== undefined) return [markedDocument(part, text)]
      notes.adapt(part.type)
      return []
    })
    .join("\n\n")
