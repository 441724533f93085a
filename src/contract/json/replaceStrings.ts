/** Levels of JSON nested in JSON strings, such as tool arguments. */
const mostLevels = 4
const longestEscape = "\\u1234".length

/**
 * Applies `change` to each decoded JSON string in a text (values and names, also in event streams). Unchanged strings keep
 * their spelling. The last string may be cut.
 */
export const replaceStrings = (text: string, change: (decoded: string) => string, levels = mostLevels): string => {
  let replaced = ""
  let copied = 0
  for (let at = text.indexOf('"'); at !== -1;) {
    const end = endOfString(text, at + 1)
    if (text.charAt(end) !== "\n") {
      const decoded = decodedOf(text.slice(at + 1, end), end === text.length)
      if (decoded !== undefined) {
        const within = levels > 1 && decoded.includes("\\") ? replaceStrings(decoded, change, levels - 1) : decoded
        const changed = change(within)
        if (changed !== decoded) {
          replaced += text.slice(copied, at + 1) + JSON.stringify(changed).slice(1, -1)
          copied = end
        }
      }
    }
    at = text.indexOf('"', end + 1)
  }
  return replaced + text.slice(copied)
}

/** Index of the closing quote, or of the line's end, which JSON strings do not cross. */
const endOfString = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text.charAt(at) !== '"' && text.charAt(at) !== "\n") at += text.charAt(at) === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

/** @returns undefined if `written` is not a JSON string */
const decodedOf = (written: string, isCut: boolean): string | undefined => {
  if (!written.includes("\\")) return written
  // Drop a truncated escape at the end of a cut string.
  for (let less = 0; less <= (isCut ? longestEscape : 0); less++) {
    try {
      const decoded: unknown = JSON.parse(`"${written.slice(0, written.length - less)}"`)
      return typeof decoded === "string" ? decoded : undefined
    } catch {}
  }
  return undefined
}
