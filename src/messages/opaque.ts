import type { Citation, SearchResult } from "../generation/Conversation.ts"

/**
 * The opaque values that clients replay verbatim: what a page said (`encrypted_content`), where a citation stands
 * (`encrypted_index`), and thinking that its upstream did not sign. Base64 of a mark and the text; a value without the
 * mark is another gateway's or provider's.
 */
const seal = (text: string): string => mark + Buffer.from(text).toString("base64")

/** Three bytes at a time, so that the mark keeps its shape in the base64 of the whole. */
const mark = Buffer.from("gateway:1").toString("base64")

const unseal = (sealed: string): string | undefined =>
  sealed.startsWith(mark) ? Buffer.from(sealed.slice(mark.length), "base64").toString() : undefined

/** A result's text as `encrypted_content`. */
export const sealContent = ({ sealed, text }: SearchResult): string => sealed ?? seal(text)

/** The text behind an `encrypted_content`; undefined where it isn't ours. */
export const unsealContent = (sealed: string): string | undefined => unseal(sealed)

/** A citation's place in its text block as `encrypted_index`. */
export const sealIndex = (citation: Citation): string => seal(`${citation.start}-${citation.end}`)

/** The place behind an `encrypted_index`; the whole text where it isn't ours. */
export const unsealIndex = (sealed: string, text: string): { readonly start: number; readonly end: number } => {
  const place = /^(\d{1,9})-(\d{1,9})$/.exec(unseal(sealed) ?? "")
  const start = Number(place?.[1])
  const end = Number(place?.[2])
  return start <= end && end <= text.length ? { start, end } : { start: 0, end: text.length }
}

/** A signature for thinking that has none: it holds the thinking itself where the client does not get to see it. */
export const sealThinking = (hidden: string): string => seal(`thinking:${hidden}`)

/** The thinking that one of our own signatures hides; undefined for an upstream's signature. */
export const unsealThinking = (signature: string): string | undefined => {
  const text = unseal(signature)
  return text?.startsWith("thinking:") === true ? text.slice("thinking:".length) : undefined
}
