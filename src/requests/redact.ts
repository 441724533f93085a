import { cutAt } from "./readAlong.ts"
import type { Taken } from "./readAlong.ts"

/**
 * What no record of a body may hold, whoever it is for: secrets by their usual looks, and files, which say little as text.
 * A word begins at its edge, and behind `\n` of JSON, whose `n` looks like a part of it.
 */
const always: ReadonlyArray<readonly [RegExp, string]> = [
  [/;base64,[A-Za-z0-9+/=_-]{64,}/g, ";base64,[redacted]"],
  [/"data":"[A-Za-z0-9+/=_-]{256,}/g, '"data":"[redacted]'],
  [/(?:\b|(?<=\\[nrtbf]))(?:sk|pk|rk|key|ghp|xox[abp])[-_][A-Za-z0-9_-]{16,}/g, "[redacted]"],
  [/(?:\b|(?<=\\[nrtbf]))Bearer +[A-Za-z0-9._~+/=-]{16,}/g, "Bearer [redacted]"]
]

/** Read beyond what is kept, in characters: what is cut in two there is no longer known for a secret, and goes. */
export const margin = 1_024

/**
 * Takes out what is always taken out, and what the account's patterns match.
 *
 * @param taken cut, where it is, at `most + margin` characters
 * @param most characters that are left at most
 */
export const redacted = (taken: Taken, most: number, patterns: ReadonlyArray<RegExp>): Taken => {
  let left = taken.text
  let { isCut } = taken
  for (const [pattern, instead] of always) left = left.replaceAll(pattern, instead)
  for (const pattern of patterns) {
    // `x*` matches between any two characters. And what matches single ones makes ten of each, pattern after pattern.
    const instead = left.replaceAll(pattern, (found) => (found === "" ? "" : "[redacted]"))
    const bounded = cutAt(instead, 2 * (most + margin))
    left = bounded.text
    isCut ||= bounded.isCut
  }
  const isHalf = isCut && !left.endsWith("[redacted]")
  const kept = cutAt(isHalf ? left.slice(0, -margin) : left, most)
  return { text: kept.text, isCut: isCut || kept.isCut }
}
