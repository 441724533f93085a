import { parseExactly } from "./exactJson.ts"
import { isJsonObject as isObject } from "../fields.ts"
import type { JsonObject } from "../fields.ts"
import { answerBounds, bodyBounds, excessOf } from "./jsonBounds.ts"
import type { JsonBounds } from "./jsonBounds.ts"

export { isObject }

/** Reads untrusted JSON: a value of another type counts as absent. */
export const objectAt = (value: unknown, key: string): JsonObject | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return at !== undefined && isObject(at) ? at : undefined
}

export const textAt = (value: unknown, key: string): string | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return typeof at === "string" ? at : undefined
}

export const numberAt = (value: unknown, key: string): number | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return typeof at === "number" && Number.isFinite(at) ? at : undefined
}

/** A whole number of zero or more that a double holds exactly. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** A count: undefined if absent, NaN if invalid (a fraction, negative, not a number). */
export const countAt = (value: unknown, key: string): number | undefined => {
  const at = isObject(value) ? value[key] : undefined
  if (at === undefined || at === null) return undefined
  return typeof at === "number" && isCount(at) ? at : Number.NaN
}

export const listAt = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const at: unknown = isObject(value) ? value[key] : undefined
  return Array.isArray(at) ? at : nothing
}

const nothing: ReadonlyArray<never> = []

/** Undefined if the text is not JSON or exceeds the bounds. Integers are exact (`parseExactly`). */
export const parseJson = (text: string, bounds: JsonBounds = answerBounds): unknown => {
  if (excessOf(text, bounds) !== undefined) return undefined
  try {
    return parseExactly(text, mostLongIntegers)
  } catch {
    return undefined
  }
}

/** Parsing more in one text would block the event loop. */
const mostLongIntegers = 10_000

/**
 * Parses a tool's arguments. A text that is no object is kept in one, under the name that Anthropic's documentation of
 * fine-grained tool streaming gives it.
 */
export const argumentsObject = (text: string): JsonObject => {
  const parsed = parseJson(text, bodyBounds)
  if (isObject(parsed)) return parsed
  return parsed === null || text.trim() === "" ? {} : { [malformed]: text }
}

const malformed = "INVALID_JSON"

/** True if a tool's arguments had to be kept as text. */
export const isMalformed = (input: JsonObject): boolean => malformed in input
