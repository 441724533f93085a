import type { DocumentPart, FileSource } from "../../generation/Conversation.ts"

/** Documents whose bytes are their text. */
export const isTextType = (mediaType: string): boolean =>
  /^(text\/|application\/(json|xml|yaml|x-yaml|x-ndjson|javascript|toml|sql)\b)|\+(json|xml)\b/.test(mediaType)

/** The text of a document that is text, however it was sent; undefined for others. */
export const plainText = (source: FileSource): string | undefined => {
  if (source.type === "text") return source.text
  return source.type === "base64" && isTextType(source.mediaType)
    ? new TextDecoder().decode(Uint8Array.fromBase64(source.data))
    : undefined
}

/** How a document reads where an upstream only takes text: marked as one, under its name. */
export const markedDocument = (part: DocumentPart, text: string): string =>
  `<document${part.name === undefined ? "" : ` name=${JSON.stringify(part.name)}`}>\n${text}\n</document>`

/** System text that stands between turns, for dialects that have none there. */
export const markedSystem = (text: string): string => `<system>\n${text}\n</system>`

export const dataUri = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`
