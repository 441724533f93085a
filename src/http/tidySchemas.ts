type Json = Readonly<Record<string, unknown>>

export interface TidySchemas {
  /** The remaining components. */
  readonly schemas: Json
  readonly tidy: (schema: unknown) => unknown
}

/**
 * Simplifies the library's JSON Schemas: removes its ids, titles and redundant keywords, inlines small components
 * (`NonEmptyString`, `Int`), and lists each alternative of a union once.
 */
export const tidySchemas = (components: Json): TidySchemas => {
  const named = Object.entries(components).filter(([, schema]) => isObject(schema) && !isSmall(schema))
  const tidy = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(tidy)
    if (!isObject(schema)) return schema
    const small = typeof schema["$ref"] === "string" ? components[schema["$ref"].replace(prefix, "")] : undefined
    if (isObject(small) && isSmall(small)) return tidy({ ...small, ...omit(schema, ["$ref"]) })
    const noise = [
      "$id",
      "title",
      "$comment",
      // Client generators treat a field with a default as required.
      "default",
      ...(schema["additionalProperties"] === true ? ["additionalProperties"] : [])
    ]
    return Object.fromEntries(
      Object.entries(omit(inWords(schema), noise)).map(([keyword, value]) => [keyword, keywordOf(keyword, value)])
    )
  }
  const keywordOf = (keyword: string, value: unknown): unknown => {
    switch (keyword) {
      case "enum":
      case "const":
      case "examples":
        return value
      case "properties":
        return isObject(value) ? mapped(value, tidy) : value
      case "anyOf":
        return Array.isArray(value) ? once(value.map(tidy)) : value
      default:
        return tidy(value)
    }
  }
  /** Drops alternatives of the same shape: a family's failures differ only in their messages. */
  const once = (members: ReadonlyArray<unknown>) => {
    const seen = new Set<string>()
    return members.filter((member) => {
      const shape = JSON.stringify(
        isObject(member) && typeof member["$ref"] === "string" ? components[member["$ref"].replace(prefix, "")] : member
      )
      return seen.size < seen.add(shape).size
    })
  }
  return { tidy, schemas: Object.fromEntries(named.map(([name, schema]) => [name, tidy(schema)])) }
}

/** Adds the default to a field's description, unless it mentions it. */
const inWords = (schema: Json): Json => {
  const { default: value, description } = schema
  if (value === undefined || typeof description !== "string" || /default/i.test(description)) return schema
  return {
    ...schema,
    description: `${description} Default \`${typeof value === "string" ? value : JSON.stringify(value)}\`.`
  }
}

const prefix = "#/components/schemas/"

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** A string, a number, …: too small for a named component. */
const isSmall = (schema: Json): boolean => !("properties" in schema || "anyOf" in schema)

const omit = (value: Json, keys: ReadonlyArray<string>): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))

const mapped = (value: Json, change: (inner: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
