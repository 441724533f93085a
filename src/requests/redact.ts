import { ownTurn } from "../flow/eventLoop.ts"
import type { Regex, Steps } from "../regex/Regex.ts"
import { replaceStrings } from "../contract/json/replaceStrings.ts"
import { cutAt } from "./readAlong.ts"
import type { Taken } from "./readAlong.ts"

/**
 * Always redacted: well-known forms of secrets, and base64 files. A secret starts at a word boundary or after an escape
 * such as `\n`, whose letter would otherwise join the word.
 */
const always: ReadonlyArray<readonly [RegExp, string]> = [
  [/;base64,[A-Za-z0-9+/=_-]{64,}/g, ";base64,[redacted]"],
  [/"data":"[A-Za-z0-9+/=_-]{256,}/g, '"data":"[redacted]'],
  [/(?:\b|(?<=\\[nrtbf]))(?:sk|pk|rk|key|ghp|xox[abp])[-_][A-Za-z0-9_-]{16,}/g, "[redacted]"],
  // Keys of this gateway, tokens of its sign-ins, and JWTs, which may be keys here too.
  [/(?:\b|(?<=\\[nrtbf]))gw[rt]?_[0-9A-Za-z]{38}(?![0-9A-Za-z])/g, "[redacted]"],
  [/(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf]))eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, "[redacted]"],
  [/(?:\b|(?<=\\[nrtbf]))Bearer +[A-Za-z0-9._~+/=-]{16,}/g, "Bearer [redacted]"],
  // Signed links, and links with a password.
  [
    /([?&](?:sig|signature|token|access_token|auth|key|api_key|apikey|secret|password|policy|(?:x-(?:amz|goog|tos|oss|cos)-)(?:signature|credential|security-token))=)[^&\s"'<>\\]+/gi,
    "$1[redacted]"
  ],
  [/(https?:\/\/)[^\s"'<>\\/?#@]+@/g, "$1[redacted]@"]
]

/** Characters read beyond the kept ones. A secret cut in two is not recognised, so the margin is dropped. */
export const margin = 1_024

/** The most steps of one pattern on one body, about 20 ms. */
const mostSteps = 800_000

/** Replaces a body that takes more steps. */
const unknown: Taken = { text: "[redacted]", isCut: true }

/**
 * Redacts secrets and matches of the account's patterns, in each decoded JSON string and in the raw text. Yields to the
 * event loop after each pattern.
 *
 * @param taken if cut, then at `most + margin` characters
 * @param most the most characters of the result
 * @param entrusted further secrets
 */
export const redactText = async (
  taken: Taken,
  most: number,
  patterns: ReadonlyArray<Regex>,
  entrusted: ReadonlyArray<string> = []
): Promise<Taken> => {
  let { isCut, text } = taken
  const without = (from: string) =>
    withoutSecrets(entrusted.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), from))
  text = without(replaceStrings(text, without))
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
    // A pattern that matches single characters multiplies the length by ten.
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
