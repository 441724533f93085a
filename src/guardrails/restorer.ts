import { replaceStrings } from "../contract/json/replaceStrings.ts"

/** Puts words back in the place of their placeholders. */
export interface Restorer {
  /** @param isJson true for a JSON text, whose strings get the words */
  readonly whole: (text: string, isJson: boolean) => string
  /** The length of the part of a text that no later piece can make part of a placeholder. */
  readonly settled: (text: string) => number
}

/** @returns undefined if there are no placeholders */
export const restorer = (placeholders: Readonly<Record<string, string>>): Restorer | undefined => {
  const words = new Map(Object.entries(placeholders))
  if (words.size === 0) return undefined
  // The longest first: one may begin another.
  const names = [...words.keys()].toSorted((one, other) => other.length - one.length)
  const any = new RegExp(names.map((name) => RegExp.escape(name)).join("|"), "g")
  const plain = (text: string) => text.replace(any, (name) => words.get(name) ?? name)
  const longest = names[0]?.length ?? 0
  return {
    whole: (text, isJson) => (isJson ? replaceStrings(text, plain) : plain(text)),
    settled: (text) => {
      let end = text.length
      for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
        const rest = text.slice(from)
        if (names.some((name) => name.length > rest.length && name.startsWith(rest))) {
          end = from
          break
        }
      }
      // A placeholder that is whole may reach over the end.
      for (const { 0: name, index } of text.matchAll(any)) {
        if (index < end && index + name.length > end) return index
      }
      return end
    }
  }
}
