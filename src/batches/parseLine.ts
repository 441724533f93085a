import { InvalidRequest } from "../contract/failures/Failure.ts"
import { parseExactly } from "../contract/json/exactJson.ts"
import { bodyBounds, excessOf, excessWords } from "../contract/json/jsonBounds.ts"
import { nulIn } from "../contract/json/nul.ts"

/** As many as a request's body may have. */
const maxLongIntegers = 10_000

/** Parses a line within the bounds of a request's body. A refusal's message is the rule that the text breaks. */
export const parseLine = (text: string): { readonly value: unknown } | InvalidRequest => {
  const excess = excessOf(text, bodyBounds)
  if (excess !== undefined) {
    return refusal(
      excess === "levels"
        ? `is nested deeper than ${bodyBounds.levels} levels`
        : `has ${excessWords(excess, bodyBounds)}`
    )
  }
  try {
    const value = parseExactly(text, maxLongIntegers)
    return nulIn(text, value) === undefined ? { value } : refusal("expected text without NUL characters (U+0000)")
  } catch {
    return refusal("is not JSON")
  }
}

const refusal = (message: string) => new InvalidRequest({ param: null, message })
