import type { Conversation, Item, Part } from "../../generation/Conversation.ts"
import type { Fetches, PutFile } from "./inlineFiles.ts"

/** A conversation with files in the place of the addresses of these parts. */
export const inConversation =
  (fetches: Fetches) =>
  (conversation: Conversation, put: PutFile): Conversation => ({
    ...conversation,
    items: conversation.items.map((item): Item =>
      item.type === "message" || item.type === "tool-result"
        ? { ...item, content: item.content.map((part) => inPart(part, fetches, put)) }
        : item
    )
  })

const inPart = (part: Part, fetches: Fetches, put: PutFile): Part => {
  if ((part.type !== "image" && part.type !== "document") || part.source.type !== "url") return part
  const file = fetches[part.type] === undefined ? undefined : put(part.source.url, part.type)
  return file === undefined ? part : { ...part, source: { type: "base64", ...file } }
}
