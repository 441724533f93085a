/** The first words of a text, on one line. */
export const firstWords = (text: string): string => {
  const words = text
    .slice(0, 400)
    .split(/\s+/)
    .filter((word) => word !== "")
  return words.slice(0, 12).join(" ").slice(0, 120)
}

/** A text in quotes, cut if it is longer, never inside a character. */
export const inQuotes = (text: string, longest: number): string => {
  if (text.length <= longest) return `"${text}"`
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `"${text.slice(0, end)}…" (${text.length} characters)`
}
