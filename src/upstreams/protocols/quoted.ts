import { parseJson } from "../../contract/json/json.ts"

/**
 * True if a call's arguments begin like a text, where an object belongs: some models quote them as JSON once more.
 * Undefined as long as there is only white space.
 */
export const beginsQuoted = (text: string): boolean | undefined => {
  const first = /\S/.exec(text)?.[0]
  return first === undefined ? undefined : first === '"'
}

/** The arguments inside such a text, even a cut one. Other texts are returned unchanged. */
export const unquoted = (text: string): string => {
  if (beginsQuoted(text) !== true) return text
  const inner = parseJson(text) ?? parseJson(`${text}"`)
  if (typeof inner !== "string") return text
  const plain = inner.trim()
  return plain === "" ? "{}" : plain.startsWith("{") ? plain : text
}
