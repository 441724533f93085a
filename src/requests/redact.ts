import { ownTurn } from "../flow/eventLoop.ts"
import type { Regex, Steps } from "../regex/Regex.ts"
import { replaceStrings } from "./replaceStrings.ts"
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

/** Of one pattern on one body at a time: 20 ms or so. */
const mostSteps = 800_000

/** What stands for a body on which a pattern takes more steps. */
const unknown: Taken = { text: "[redacted]", isCut: true }

/**
 * Takes out what is always taken out, and what the account's patterns match: in each string of JSON as it is decoded, and
 * in the text as it came. Others have a turn of the event loop after each.
 *
 * @param taken cut, where it is, at `most + margin` characters
 * @param most characters that are left at most
 */
export const redacted = async (taken: Taken, most: number, patterns: ReadonlyArray<Regex>): Promise<Taken> => {
  let { isCut, text } = taken
  text = withoutSecrets(replaceStrings(text, withoutSecrets))
  for (const pattern of patterns) {
    let left = mostSteps
    const steps: Steps = { step: (count) => (left -= count) >= 0 }
    const takeOut = (from: string) => pattern.replaceAll(from, "[redacted]", steps)
    const ofStrings = replaceStrings(text, (from) => takeOut(from) ?? from)
    await ownTurn()
    if (left < 0) return unknown
    left = mostSteps
    const ofAll = takeOut(ofStrings)
    await ownTurn()
    if (ofAll === undefined) return unknown
    // What matches single characters makes ten of each, pattern after pattern.
    const bounded = cutAt(ofAll, 2 * (most + margin))
    text = bounded.text
    isCut ||= bounded.isCut
  }
  const isHalf = isCut && !text.endsWith("[redacted]")
  const kept = cutAt(isHalf ? text.slice(0, -margin) : text, most)
  return { text: kept.text, isCut: isCut || kept.isCut }
}

const withoutSecrets = (text: string): string =>
  always.reduce((rest, [pattern, instead]) => rest.replaceAll(pattern, instead), text)
