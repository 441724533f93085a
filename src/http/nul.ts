import { InvalidRequest } from "../contract/Failure.ts"
import { isObject } from "../contract/json.ts"

/**
 * A text with a NUL (U+0000) in it can't be kept by every engine that the gateway runs on, so none takes it: an
 * `InvalidRequest` that names the first; undefined where there is none.
 * @param text the JSON that the value was read from
 */
export const nulIn = (text: string, value: unknown): InvalidRequest | undefined => {
  // Mostly there is none; what looks like one may be a backslash before five letters.
  const place = text.includes("\\u0000") ? placeOf(value, "") : undefined
  return place === undefined ? undefined : refused(place)
}

/** As `nulIn`, of the parameters of a path or a query. */
export const nulInParams = (params: Readonly<Record<string, unknown>>): InvalidRequest | undefined => {
  for (const name in params) {
    const place = placeOf(params[name], name)
    if (place !== undefined) return refused(place)
  }
  return undefined
}

/** A parameter's JSON Schema that says so too: where it says nothing else of a text, or of the texts of a list. */
export const withoutNul = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  const { anyOf, items } = schema
  const isAny = schema["type"] === "string" && ["enum", "const", "pattern", "format"].every((word) => !(word in schema))
  return {
    ...schema,
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(withoutNul) } : {}),
    ...(items === undefined ? {} : { items: withoutNul(items) }),
    ...(isAny ? { pattern: "^[^\\u0000]*$" } : {})
  }
}

const refused = (place: string) =>
  new InvalidRequest({
    param: place,
    message: `${place}: expected text without NUL characters (U+0000)`
  })

/** Bodies are at most 64 levels deep. */
const placeOf = (value: unknown, place: string): string | undefined => {
  if (typeof value === "string") return value.includes("\0") ? place : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const below = Array.isArray(value) ? `${place}[${name}]` : place === "" ? name : `${place}.${name}`
    if (name.includes("\0")) return place === "" ? "body" : place
    const found = placeOf(member, below)
    if (found !== undefined) return found
  }
  return undefined
}
