import { textAt } from "../contract/json/json.ts"
import type { Part } from "./Conversation.ts"

/** The parts of a moderation's `input`: texts, and objects that have a `text` or else are images. */
export const moderatedParts = (input: unknown): ReadonlyArray<Part> =>
  (Array.isArray(input) ? input : [input]).map((one: unknown): Part => {
    const text = typeof one === "string" ? one : textAt(one, "text")
    return text === undefined
      ? { type: "image", source: { type: "url", url: "" }, detail: "auto" }
      : { type: "text", text }
  })

/** The texts of a moderation's `input`. */
export const moderatedTexts = (input: unknown): ReadonlyArray<string> =>
  moderatedParts(input).flatMap((part) => (part.type === "text" ? [part.text] : []))
