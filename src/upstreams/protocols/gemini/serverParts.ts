import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"

/**
 * Calls of Google's own tools beside a caller's functions. They are parts of the answer, and have to come back in front
 * of the function's call, so they are stored with its signature. Source: "Tool combination" in Google's documentation.
 */
export const isServerPart = (part: JsonObject): boolean =>
  objectAt(part, "toolCall") !== undefined || objectAt(part, "toolResponse") !== undefined

/** The queries of a search among them. */
export const queriesIn = (part: JsonObject): ReadonlyArray<string> => {
  const call = objectAt(part, "toolCall")
  if (textAt(call, "toolType")?.startsWith("GOOGLE_SEARCH") !== true) return []
  return listAt(objectAt(call, "args"), "queries").filter((query) => typeof query === "string")
}

/** In UTF-16 units. Longer ones do not come back. */
const longest = 65_536

/** The text that is stored of a call: its signature, alone if it can be. */
export const storedSignature = (
  signature: string | undefined,
  before: ReadonlyArray<JsonObject>
): string | undefined => {
  if (before.length === 0) return signature
  const text = JSON.stringify({ before, signature })
  return text.length > longest ? signature : text
}

interface Stored {
  readonly signature: string | undefined
  readonly before: ReadonlyArray<JsonObject>
}

/** Reads what was stored. A signature is base64, which has no braces. */
export const readStored = (text: string | undefined): Stored => {
  const both = text?.startsWith("{") === true ? parseJson(text) : undefined
  if (both === undefined) return { signature: text, before: [] }
  return { signature: textAt(both, "signature"), before: listAt(both, "before").filter(isObject) }
}
