/** The closest name: the only one with this prefix, otherwise one at most two edits away. */
export const nearest = (given: string, names: ReadonlyArray<string>): string | undefined => {
  const prefixed = names.filter((name) => given.length > 1 && name.startsWith(given))
  if (prefixed.length === 1) return prefixed[0]
  const [best] = names
    .map((name) => ({ name, changes: changesBetween(given, name) }))
    .filter(({ changes, name }) => changes <= Math.min(2, name.length - 2))
    .toSorted((one, other) => one.changes - other.changes)
  return best?.name
}

/** The Levenshtein distance. */
const changesBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
