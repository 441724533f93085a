import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import type { ReadDocument } from "../documents/Documents.ts"
import type { Conversation, DocumentPart, Item, Part } from "../generation/Conversation.ts"

/**
 * Replaces PDFs with their text for an upstream that accepts none; undefined if there is nothing to extract. Fails if a
 * PDF has no text or takes too much to read.
 *
 * @param takes the media types that the upstream accepts
 */
export const extractDocuments = (
  conversation: Conversation,
  takes: (mediaType: string) => boolean,
  read: ReadDocument
): Effect.Effect<Conversation, InvalidRequest> | undefined => {
  if (takes("application/pdf")) return undefined
  const { items } = conversation
  const wanted = (part: Part): part is DocumentPart & { readonly source: { readonly type: "base64" } } =>
    part.type === "document" && part.source.type === "base64" && part.source.mediaType === "application/pdf"
  if (!items.some((item) => contentOf(item).some(wanted))) return undefined
  const readable = (part: Part) => (wanted(part) ? extract(part, part.source.data, read) : Effect.succeed(part))
  return Effect.map(
    Effect.forEach(items, (item) =>
      item.type === "message" || item.type === "tool-result"
        ? Effect.map(Effect.forEach(item.content, readable), (content): Item => ({ ...item, content }))
        : Effect.succeed(item)
    ),
    (items) => ({ ...conversation, items })
  )
}

const contentOf = (item: Item): ReadonlyArray<Part> =>
  item.type === "message" || item.type === "tool-result" ? item.content : []

const extract = (
  part: DocumentPart,
  base64: string,
  read: ReadDocument
): Effect.Effect<DocumentPart, InvalidRequest> => {
  const bytes = bytesOf(base64)
  if (bytes === undefined) return Effect.fail(refused("is not a readable PDF"))
  return Effect.flatMap(
    Effect.mapError(read(bytes, "text"), ({ refusal }) => refusal),
    ({ text }) =>
      text.trim() === ""
        ? Effect.fail(refused("holds no text, and the model's upstream takes no PDFs; send its pages as images"))
        : Effect.succeed({ ...part, source: { type: "text", mediaType: "text/plain", text } })
  )
}

const bytesOf = (base64: string): Uint8Array | undefined => {
  try {
    return Uint8Array.fromBase64(base64)
  } catch {
    return undefined
  }
}

const refused = (why: string) => new InvalidRequest({ param: "document", message: `document: ${why}` })
