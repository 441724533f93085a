import { endOfString } from "./endOfString.ts"

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text. */
    readonly rawJSON: (text: string) => object
    readonly isRawJSON: (value: unknown) => boolean
  }
}

/**
 * As `JSON.parse`, but for integers that a double does not hold: they become values that `JSON.stringify` writes digit by
 * digit (`JSON.rawJSON`), and that are neither numbers nor objects for whoever reads them.
 *
 * @param most how many of them there may be: each costs about half a microsecond
 * @throws SyntaxError, or TooManyLongIntegers
 */
export const parseExactly = (text: string, most = Infinity): unknown => {
  const marked = mayHaveLong.test(text) ? withMarks(text, most) : undefined
  if (marked === undefined) return JSON.parse(text)
  let value: unknown
  try {
    value = JSON.parse(marked)
  } catch {
    // Its message tells a place in the text.
    return JSON.parse(text)
  }
  return withoutMarks(value)
}

export class TooManyLongIntegers extends Error {}

/** Not the digits of a fraction, and hardly ever those within a text. */
const mayHaveLong = /(?:^|[[\s:,-])\d{16}/

/** Quotes, and integers of 16 digits or more where a value may stand. */
const tokens = /"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.]|\s*:)/g

/** Marks a text that stands for an integer. Nobody knows it, so that no other text begins with it. */
const mark = `#${crypto.randomUUID()}:`

/**
 * The same JSON with marked texts instead of long integers; undefined where it has none. `JSON.parse` with a reviver, which
 * tells it each value's source too, takes ten times as long.
 */
const withMarks = (text: string, most: number): string | undefined => {
  let written = ""
  let from = 0
  let count = 0
  tokens.lastIndex = 0
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const [found] = token
    if (found === '"') {
      tokens.lastIndex = endOfString(text, token.index) + 1
    } else if (!isHeld(found)) {
      if (++count > most) throw new TooManyLongIntegers()
      written += `${text.slice(from, token.index)}"${mark}${found}"`
      from = tokens.lastIndex
    }
  }
  return count === 0 ? undefined : written + text.slice(from)
}

const isHeld = (digits: string) => digits.length <= 17 && Number.isSafeInteger(Number(digits))

/** Changes the value itself, which nobody else has. */
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
