import { Effect } from "effect"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { ReadDocument } from "../../documents/Documents.ts"
import type { Conversation, DocumentPart, Item, Part } from "../../generation/Conversation.ts"
import { leftOut } from "../protocols/inResult.ts"

/**
 * Replaces PDFs with their text for an upstream that accepts none; undefined if there is nothing to extract. Fails if a
 * PDF has no text or takes too much to read; in a tool's result words stand in for it, so that the caller's loop goes on.
 */
export const extractDocuments = (
  conversation: Conversation,
  read: ReadDocument
): Effect.Effect<Conversation, InvalidRequest> | undefined => {
  const { items } = conversation
  if (!items.some(hasPdf)) return undefined
  const readable = (part: Part): Effect.Effect<Part, InvalidRequest> =>
    isPdf(part) ? extract(part, part.source.data, read) : Effect.succeed(part)
  const resulting = (part: Part): Effect.Effect<Part> =>
    Effect.orElseSucceed(readable(part), () => ({ type: "text", text: leftOut(part.type) }))
  return Effect.map(
    Effect.forEach(items, (item) =>
      item.type === "message" || item.type === "tool-result"
        ? Effect.map(Effect.forEach(item.content, item.type === "message" ? readable : resulting), (content): Item => ({
            ...item,
            content
          }))
        : Effect.succeed(item)
    ),
    (items) => ({ ...conversation, items })
  )
}

type Pdf = DocumentPart & { readonly source: { readonly type: "base64" } }

const isPdf = (part: Part): part is Pdf =>
  part.type === "document" && part.source.type === "base64" && part.source.mediaType === "application/pdf"

const hasPdf = (item: Item): boolean => {
  if (item.type !== "message" && item.type !== "tool-result") return false
  for (const part of item.content) if (part.type === "document" && isPdf(part)) return true
  return false
}

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
