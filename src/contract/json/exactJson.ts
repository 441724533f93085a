import { endOfString } from "./endOfString.ts"

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text. */
    readonly rawJSON: (text: string) => object
    readonly isRawJSON: (value: unknown) => boolean
  }
}

/**
 * Like `JSON.parse`, but integers beyond a double's precision become `JSON.rawJSON` values, which `JSON.stringify` writes
 * with all their digits. Decoders treat these as neither numbers nor objects.
 *
 * @param most the allowed number of such integers; each costs about 0.5 µs
 * @throws SyntaxError, or TooManyLongIntegers
 */
export const parseExactly = (text: string, most = Infinity): unknown => {
  const marked = mayHaveLong.test(text) ? withMarks(text, most) : undefined
  if (marked === undefined) return JSON.parse(text)
  let value: unknown
  try {
    value = JSON.parse(marked)
  } catch {
    // The error's position must refer to the original text.
    return JSON.parse(text)
  }
  return withoutMarks(value)
}

export class TooManyLongIntegers extends Error {}

/** Skips the digits of fractions; rarely matches inside strings. */
const mayHaveLong = /(?:^|[[\s:,-])\d{16}/

/** Quotes, and integers of 16 digits or more where a value may stand. */
const tokens = /"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.]|\s*:)/g

/** Prefix of a string that stands for an integer. Random, so that no caller's string begins with it. */
const mark = `#${crypto.randomUUID()}:`

/**
 * The same JSON with marked strings instead of long integers; undefined if it has none. A `JSON.parse` reviver, which also
 * gets each value's source, takes ten times as long.
 */
const withMarks = (text: string, most: number): string | undefined => {
  let written = ""
  let from = 0
  let count = 0
  tokens.lastIndex = 0
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const [match] = token
    if (match === '"') {
      tokens.lastIndex = endOfString(text, token.index) + 1
    } else if (!isExact(match)) {
      if (++count > most) throw new TooManyLongIntegers()
      written += `${text.slice(from, token.index)}"${mark}${match}"`
      from = tokens.lastIndex
    }
  }
  return count === 0 ? undefined : written + text.slice(from)
}

const isExact = (digits: string) => digits.length <= 17 && Number.isSafeInteger(Number(digits))

/** Replaces the marks in place. */
const withoutMarks = (value: unknown): unknown => {
  const whole = { value }
  const open: Array<Record<string, unknown>> = [whole]
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const key in container) {
      const member = container[key]
      if (typeof member === "string") {
        if (member.startsWith(mark)) container[key] = JSON.rawJSON(member.slice(mark.length))
      } else if (isContainer(member)) open.push(member)
    }
  }
  return whole.value
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null
