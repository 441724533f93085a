import { isJsonObject as isObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"

export { isObject }

/** Reads an upstream's JSON without trusting it: what is not of the wanted kind is absent. */
export const objectAt = (value: unknown, key: string): JsonObject | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return isObject(at) ? at : undefined
}

export const textAt = (value: unknown, key: string): string | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return typeof at === "string" ? at : undefined
}

export const numberAt = (value: unknown, key: string): number | undefined => {
  const at = isObject(value) ? value[key] : undefined
  return typeof at === "number" && Number.isFinite(at) ? at : undefined
}

export const listAt = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const at: unknown = isObject(value) ? value[key] : undefined
  return Array.isArray(at) ? at : []
}

/** undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A tool's arguments as the object they spell; an empty one where they spell none. */
export const argumentsObject = (text: string): JsonObject => {
  const parsed = parseJson(text)
  return isObject(parsed) ? parsed : {}
}
