import type { Citation, SearchResult } from "../generation/Conversation.ts"

/**
 * The opaque values that clients replay: a page's text (`encrypted_content`), a citation's place (`encrypted_index`),
 * and thinking without a signature. Base64 of a mark and the text. A value without the mark comes from elsewhere.
 */
const seal = (text: string): string => mark + Buffer.from(text).toString("base64")

/** Three bytes at a time, so that the mark is a prefix of the whole text in base64. */
const mark = Buffer.from("gateway:1").toString("base64")

const unseal = (sealed: string): string | undefined =>
  sealed.startsWith(mark) ? Buffer.from(sealed.slice(mark.length), "base64").toString() : undefined

/** A result's text as `encrypted_content`. */
export const sealContent = ({ sealed, text }: SearchResult): string => sealed ?? seal(text)

/** The text in an `encrypted_content`; undefined if the gateway did not make it. */
export const unsealContent = (sealed: string): string | undefined => unseal(sealed)

/** A citation's place in its text block as `encrypted_index`. */
export const sealIndex = (citation: Citation): string => seal(`${citation.start}-${citation.end}`)

/** The place in an `encrypted_index`, otherwise the whole text. */
export const unsealIndex = (sealed: string, text: string): { readonly start: number; readonly end: number } => {
  const place = /^(\d{1,9})-(\d{1,9})$/.exec(unseal(sealed) ?? "")
  const start = Number(place?.[1])
  const end = Number(place?.[2])
  return start <= end && end <= text.length ? { start, end } : { start: 0, end: text.length }
}

/** A signature for unsigned thinking. It holds the thinking itself if the client does not see it. */
export const sealThinking = (hidden: string): string => seal(`thinking:${hidden}`)

/** The thinking in a signature that the gateway made; undefined for an upstream's. */
export const unsealThinking = (signature: string): string | undefined => {
  const text = unseal(signature)
  return text?.startsWith("thinking:") === true ? text.slice("thinking:".length) : undefined
}
