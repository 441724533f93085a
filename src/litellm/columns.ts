import { isObject } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"

/** JSON of a column, which older versions stored as a text. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** A column's object; an empty one for anything else. */
export const objectOf = (value: unknown): JsonObject => {
  const found = jsonOf(value)
  return isObject(found) ? found : {}
}

/** A column's list of objects; of anything else an empty one. */
export const objectsOf = (value: unknown): ReadonlyArray<JsonObject> => {
  const found = jsonOf(value)
  return Array.isArray(found) ? found.filter(isObject) : []
}

/** Unix ms of a column, which has no zone and is in UTC. */
export const timeOf = (value: unknown): number | undefined => {
  if (typeof value !== "string") return undefined
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`)
  return Number.isNaN(ms) ? undefined : ms
}
