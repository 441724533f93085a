import type { JsonObject } from "../../../contract/fields.ts"
import type { DocumentPart, FileSource, ImagePart, Item, Part, SearchItem } from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { atMost } from "../callIds.ts"
import { dataUri, isSealed, markedDocument, plainText } from "../documents.ts"
import { inResult, leftOut } from "../inResult.ts"
import type { Notes } from "../notes.ts"
import { oneResultEach } from "../oneResultEach.ts"
import { isFrom } from "../../../generation/origin.ts"

/** The provider of this encrypted reasoning. */
export const signs = "openai"

/** A conversation's items as input items. */
export const lowerInput = (
  items: ReadonlyArray<Item>,
  to: Recipient,
  back: Back,
  notes: Notes
): ReadonlyArray<JsonObject> => oneResultEach(items).flatMap((item) => inputItem(item, to, back, notes))

/** The requested model. */
interface Recipient {
  readonly model: string
  readonly key?: string | undefined
}

const callId = atMost(64)

const inputItem = (item: Item, to: Recipient, back: Back, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (item.type) {
    case "message": {
      const content =
        item.role === "assistant"
          ? item.content.flatMap((part) => outputPart(part, notes))
          : item.content.flatMap((part) => inputPart(part, notes))
      const role = item.role === "system" ? "developer" : item.role
      return content.length === 0 ? [] : [{ type: "message", role, content }]
    }
    case "reasoning":
      // The upstream accepts reasoning only with its own encryption.
      if (item.signature === undefined || !isFrom(item, signs, to.model, to.key)) {
        notes.adapt("reasoning")
        return []
      }
      return [
        {
          type: "reasoning",
          summary: item.text === "" ? [] : [{ type: "summary_text", text: item.text }],
          encrypted_content: item.signature
        }
      ]
    case "tool-call":
      return [
        item.kind === "custom"
          ? {
              type: "custom_tool_call",
              call_id: callId(item.callId),
              name: back.upstreamName(item.name),
              input: item.arguments
            }
          : {
              type: "function_call",
              call_id: callId(item.callId),
              name: back.upstreamName(item.name),
              arguments: item.arguments === "" ? "{}" : item.arguments
            }
      ]
    case "tool-result":
      return [
        {
          type: back.isCustomCall(item.callId) ? "custom_tool_call_output" : "function_call_output",
          call_id: callId(item.callId),
          output: output(item.content, item.isError, notes)
        }
      ]
    case "search":
      return searched(item, notes)
  }
}

const inputPart = (part: Part, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "input_text", text: part.text }]
    case "image":
      return image(part, notes)
    case "document":
      return document(part, notes)
  }
}

const outputPart = (part: Part, notes: Notes): ReadonlyArray<JsonObject> => {
  if (part.type === "text") return [{ type: "output_text", text: part.text, annotations: [] }]
  if (part.type === "refusal") return [{ type: "refusal", refusal: part.text }]
  notes.adapt(part.type)
  return []
}

/** Text alone stays a string. */
const output = (parts: ReadonlyArray<Part>, isError: boolean, notes: Notes): string | ReadonlyArray<JsonObject> => {
  const mark = isError ? "Error: " : ""
  return parts.every((part) => part.type === "text")
    ? mark + parts.map((part) => part.text).join("\n\n")
    : [
        ...(isError ? [{ type: "input_text", text: "Error:" }] : []),
        ...parts.flatMap(
          (part) => inResult(notes, (own) => inputPart(part, own)) ?? [{ type: "input_text", text: leftOut(part.type) }]
        )
      ]
}

const image = ({ source, detail }: ImagePart, notes: Notes): ReadonlyArray<JsonObject> => {
  if (source.type === "file") return [{ type: "input_image", file_id: source.id, detail }]
  if (source.type === "url") return [{ type: "input_image", image_url: source.url, detail }]
  if (source.type === "base64") {
    return [{ type: "input_image", image_url: dataUri(source.mediaType, source.data), detail }]
  }
  notes.refuse("image", "expected an address, bytes or a file id")
  return []
}

const document = (part: DocumentPart, notes: Notes): ReadonlyArray<JsonObject> => {
  const text = plainText(part.source)
  if (text !== undefined) return [{ type: "input_text", text: markedDocument(part, text) }]
  const from = file(part.source)
  if (from === undefined) {
    notes.refuse("document", "the model's upstream can't read this kind of file; send a PDF or text")
    return []
  }
  const filename = part.source.type === "base64" ? { filename: part.name ?? "document.pdf" } : {}
  return [{ type: "input_file", ...filename, ...from }]
}

const file = (source: FileSource): JsonObject | undefined => {
  if (source.type === "url") return { file_url: source.url }
  if (source.type === "file") return { file_id: source.id }
  return source.type === "base64" && source.mediaType === "application/pdf"
    ? { file_data: dataUri(source.mediaType, source.data) }
    : undefined
}

/** The messages family adds a prefix of its own. */
const ownSearch = /^(?:srvtoolu_)?(ws_.+)$/

/** The upstream's own searches return unchanged. Those of other servers become assistant text. */
const searched = (item: SearchItem, notes: Notes): ReadonlyArray<JsonObject> => {
  const [, id] = ownSearch.exec(item.id) ?? []
  if (id !== undefined) {
    const action = { type: "search", query: item.query }
    return [{ type: "web_search_call", id, status: "completed", action }]
  }
  if (item.outcome?.type !== "results") {
    notes.adapt("web_search_call")
    return []
  }
  if (isSealed(item.outcome)) notes.adapt("encrypted_content")
  const results = item.outcome.results.map((result) => `- ${result.title} <${result.url}>\n${result.text}`.trimEnd())
  const text = `Web search for ${JSON.stringify(item.query)} found:\n${results.join("\n")}`
  return [{ type: "message", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]
}
