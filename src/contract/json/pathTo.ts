/**
 * The path of the first member with one of these names and that text (`messages[0].content[1].source.url`); undefined if
 * there is none. Recursion is safe: bodies have at most 64 levels.
 */
export const pathTo = (value: unknown, names: ReadonlySet<string>, text: string, at = ""): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const below = Array.isArray(value) ? `${at}[${name}]` : at === "" ? name : `${at}.${name}`
    const found = member === text ? (names.has(name) ? below : undefined) : pathTo(member, names, text, below)
    if (found !== undefined) return found
  }
  return undefined
}
