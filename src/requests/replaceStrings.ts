/** Levels of JSON within strings of JSON, such as arguments of tools, that are looked through. */
const mostLevels = 4
const longestEscape = "\\u1234".length

/**
 * Replaces each string of the JSON that a text is made of (values and names, also in events of a stream) by what `change`
 * makes of it decoded. Strings that stay the same stay as they were written. The last string may be cut.
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

/** Where its quote is, or a line ends, which no string of JSON goes beyond. */
const endOfString = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text.charAt(at) !== '"' && text.charAt(at) !== "\n") at += text.charAt(at) === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

/** @returns undefined for what is no string of JSON */
const decodedOf = (written: string, isCut: boolean): string | undefined => {
  if (!written.includes("\\")) return written
  // Half an escape at the end of a cut string goes.
  for (let less = 0; less <= (isCut ? longestEscape : 0); less++) {
    try {
      const decoded: unknown = JSON.parse(`"${written.slice(0, written.length - less)}"`)
      return typeof decoded === "string" ? decoded : undefined
    } catch {}
  }
  return undefined
}
