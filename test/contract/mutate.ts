/** Where something stands in a JSON value. */
export type Place = ReadonlyArray<string | number>

/** Every place of a JSON value, the whole first. */
export const places = (value: unknown, at: Place = []): ReadonlyArray<Place> => {
  if (typeof value !== "object" || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...at, keyOf(value, key)]))]
}

const keyOf = (container: object, key: string) => (Array.isArray(container) ? Number(key) : key)

/** A copy with another value at one place; `undefined` takes the field or the element away. */
export const replaced = (value: unknown, [key, ...rest]: Place, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value)) {
    if (rest.length === 0 && by === undefined) return value.filter((_, index) => index !== key)
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item))
  }
  const copy: Record<string, unknown> = { ...(value as object) }
  if (rest.length === 0 && by === undefined) delete copy[key]
  else copy[key] = replaced(copy[key], rest, by)
  return copy
}

/** As messages and `param` name a place: `messages[1].content`. */
export const named = (place: Place): string =>
  place.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? key : `${text}.${key}`
  }, "")
