import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, textAt } from "../../../contract/json/json.ts"

/** True for text of white space alone, which the dialect refuses, although its own models write it beside calls. */
export const isBlank = (text: string): boolean => !/\S/.test(text)

/** A text block without its trailing white space, which the dialect refuses at the end of a last assistant turn. */
export const withoutTrail = <B>(block: B): B | JsonObject => {
  const text = textAt(block, "type") === "text" ? textAt(block, "text") : undefined
  return text === undefined || !isObject(block) ? block : { ...block, text: text.trimEnd() }
}
