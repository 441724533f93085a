import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Conversation, DocumentPart, Item, Part } from "../generation/Conversation.ts"

/** A conversation whose documents an upstream takes, and whether any had to become text for that. */
export interface Readable {
  readonly conversation: Conversation
  readonly extracted: boolean
}

/**
 * Puts the text of PDFs in their place where an upstream takes none. Fails where one holds no text.
 *
 * @param takes the media types the upstream reads itself
 */
export const extractDocuments = (
  conversation: Conversation,
  takes: (mediaType: string) => boolean
): Effect.Effect<Readable, InvalidRequest> => {
  const wanted = (part: Part): part is DocumentPart & { readonly source: { readonly type: "base64" } } =>
    part.type === "document" &&
    part.source.type === "base64" &&
    part.source.mediaType === "application/pdf" &&
    !takes(part.source.mediaType)
  if (!conversation.items.some((item) => contentOf(item).some(wanted))) {
    return Effect.succeed({ conversation, extracted: false })
  }
  const readable = (part: Part) => (wanted(part) ? extract(part, part.source.data) : Effect.succeed(part))
  return Effect.map(
    Effect.forEach(conversation.items, (item) =>
      item.type === "message" || item.type === "tool-result"
        ? Effect.map(Effect.forEach(item.content, readable), (content): Item => ({ ...item, content }))
        : Effect.succeed(item)
    ),
    (items) => ({ conversation: { ...conversation, items }, extracted: true })
  )
}

const contentOf = (item: Item): ReadonlyArray<Part> =>
  item.type === "message" || item.type === "tool-result" ? item.content : []

const extract = (part: DocumentPart, base64: string): Effect.Effect<DocumentPart, InvalidRequest> =>
  Effect.flatMap(
    Effect.tryPromise({ try: () => textOfPdf(base64), catch: () => unreadable("is not a readable PDF") }),
    (text) =>
      text.trim() === ""
        ? Effect.fail(unreadable("holds no text, and the model's upstream takes no PDFs; send its pages as images"))
        : Effect.succeed({ ...part, source: { type: "text", mediaType: "text/plain", text } })
  )

const textOfPdf = async (base64: string): Promise<string> => {
  // Megabytes of code that most processes never need.
  const { extractText, getDocumentProxy } = await import("unpdf")
  const document = await getDocumentProxy(Uint8Array.fromBase64(base64), { verbosity: 0 })
  const { text } = await extractText(document, { mergePages: true })
  return text
}

const unreadable = (why: string) => new InvalidRequest({ param: "document", message: `document: ${why}` })
