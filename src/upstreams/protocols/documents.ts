import type { DocumentPart, FileSource, SearchOutcome, SearchResult } from "../../generation/Conversation.ts"

/** True if the text of a result is encrypted for another upstream, so that only its title and address are told. */
export const isSealed = (outcome: SearchOutcome): boolean =>
  outcome.type === "results" && outcome.results.some(({ sealed, text }) => sealed !== undefined && text === "")

/** Documents whose bytes are their text. */
export const isTextType = (mediaType: string): boolean =>
  /^(text\/|application\/(json|xml|yaml|x-yaml|x-ndjson|javascript|toml|sql)\b)|\+(json|xml)\b/.test(mediaType)

/** The text of a text document, however it was sent; undefined for others. */
export const plainText = (source: FileSource): string | undefined => {
  if (source.type === "text") return source.text
  return source.type === "base64" && isTextType(source.mediaType)
    ? new TextDecoder().decode(Uint8Array.fromBase64(source.data))
    : undefined
}

/** A document as text with its name, for upstreams that only take text. */
export const markedDocument = (part: DocumentPart, text: string): string =>
  `<document${part.name === undefined ? "" : ` name=${JSON.stringify(part.name)}`}>\n${text}\n</document>`

/** A turn of the user in front of a conversation that the assistant begins, where that is refused. */
export const conversationBegins = "(The conversation begins.)"

/** System text between turns, for dialects that allow none there. */
export const markedSystem = (text: string): string => `<system>\n${text}\n</system>`

export const dataUri = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`

/** The results of an earlier search as text, for a model that did not run it. */
export const foundWords = (query: string, results: ReadonlyArray<SearchResult>): string => {
  const lines = results.map(({ text, title, url }) => `- ${title} <${url}>\n${text}`.trimEnd())
  return `Web search for ${JSON.stringify(query)} found:\n${lines.join("\n")}`
}
