import { InvalidRequest } from "../failures/Failure.ts"
import { isObject } from "./json.ts"

/**
 * Refuses text with NUL (U+0000), which Postgres cannot store: an `InvalidRequest` that names the first, otherwise
 * undefined.
 * @param text the JSON of `value`
 */
export const nulIn = (text: string, value: unknown): InvalidRequest | undefined => {
  // A cheap check first. A match may also be an escaped backslash before `u0000`.
  const place = text.includes("\\u0000") ? placeOf(value, "") : undefined
  return place === undefined ? undefined : refuse(place)
}

/** Like `nulIn`, for the parameters of a path or a query. */
export const nulInParams = (params: Readonly<Record<string, unknown>>): InvalidRequest | undefined => {
  for (const name in params) {
    const place = placeOf(params[name], name)
    if (place !== undefined) return refuse(place)
  }
  return undefined
}

/** Adds the rule to a parameter's JSON Schema, where it does not constrain a string otherwise. */
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

const refuse = (place: string) =>
  new InvalidRequest({
    param: place,
    message: `${place}: expected text without NUL characters (U+0000)`
  })

/** Recursion is safe: bodies have at most 64 levels. */
const placeOf = (value: unknown, place: string): string | undefined => {
  if (typeof value === "string") return value.includes("\0") ? place : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const below = Array.isArray(value) ? `${place}[${name}]` : place === "" ? name : `${place}.${name}`
    if (name.includes("\0")) return place === "" ? "body" : place
    const inner = placeOf(member, below)
    if (inner !== undefined) return inner
  }
  return undefined
}
