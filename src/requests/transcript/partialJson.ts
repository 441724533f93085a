/**
 * Parses JSON that may have been cut anywhere: what is open is closed, and half a name or literal is dropped. Undefined for
 * text that is not the beginning of JSON. Linear in its length.
 */
export const partialJson = (text: string): unknown => parse(text) ?? parse(close(text))

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text up to its last complete value, or through a string that is cut, with everything closed. */
const close = (text: string): string => {
  const open: Array<"}" | "]"> = []
  let inString = false
  let isName = false
  /** The last character outside of strings that is not a space. */
  let before = ""
  /** The end of the last complete value: what follows opens and closes nothing. */
  let end = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (inString) {
      if (char === "\\") at++
      else if (char === '"') {
        inString = false
        if (!isName) end = at + 1
      }
      continue
    }
    if (char === '"') {
      inString = true
      isName = open.at(-1) === "}" && before !== ":"
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]")
      end = at + 1
    } else if (char === "}" || char === "]") {
      open.pop()
      end = at + 1
    } else if (char === ",") end = at
    if (char.trim() !== "") before = char
  }
  const closing = open.toReversed().join("")
  // Half an escape at the end would make the string invalid.
  const kept = inString && !isName ? `${text.replace(/\\(u[0-9a-f]{0,3})?$/i, "")}"` : text.slice(0, end)
  return kept + closing
}
