import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, objectAt } from "../../contract/json/json.ts"

/** The JSON Schema that a server accepts. What it refuses becomes words in the description. */
export interface SchemaLimits {
  /** The keywords that constrain values; undefined accepts all. */
  readonly keywords?: ReadonlySet<string>
  /** The values of `format`; undefined accepts all. */
  readonly formats?: ReadonlySet<string>
  /** True if `minItems` may only be 0 or 1. */
  readonly fewItems?: boolean
  /** True if `pattern` must match the whole string (`^…$`). */
  readonly wholePatterns?: boolean
  /** True if every object must have `additionalProperties: false`. */
  readonly closed?: boolean
  /** True if a value with `enum` or `const` has no `type`. */
  readonly untypedLiterals?: boolean
}

/** A server's rules for schemas. */
export interface SchemaRules {
  /** Of every tool. */
  readonly tools: SchemaLimits
  /** Of the answer and of strict tools, which the server compiles to a grammar. */
  readonly held: SchemaLimits
  /** True if the schema of a tool may be a combination (`anyOf`, `oneOf`, `allOf`). */
  readonly combinedTools: boolean
  /** True if every array of a tool must say what it holds. */
  readonly needsItems?: true
  /** True if a strict schema must close every object, require every property, and combine with `anyOf` alone. */
  readonly isComplete: boolean
  /** The most strict tools, and the most optional properties of these; undefined is no limit. */
  readonly mostStrict?: { readonly tools: number; readonly optional: number }
}

const keywords = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Keywords that describe or structure. They are accepted by all servers. */
const structure = keywords(
  "type title description properties required additionalProperties items anyOf enum $ref $defs definitions"
)

const anything: SchemaLimits = {}

const geminis: SchemaLimits = {
  keywords: keywords(
    "format nullable minItems maxItems minProperties maxProperties minLength maxLength pattern default prefixItems " +
      "minimum maximum"
  )
}

const accepting: SchemaRules = { tools: anything, held: anything, combinedTools: true, isComplete: false }

export const schemaRules = {
  accepting,
  // As `transform-json-schema` of Anthropic's SDK; the numbers are in "Structured outputs" of its documentation.
  anthropic: {
    tools: anything,
    held: {
      keywords: keywords("allOf const format minItems"),
      formats: keywords("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
      fewItems: true,
      closed: true,
      untypedLiterals: true
    },
    combinedTools: false,
    isComplete: false,
    mostStrict: { tools: 20, optional: 24 }
  },
  openai: { ...accepting, combinedTools: false, needsItems: true, isComplete: true },
  // 400 "minItems is not supported", "additionalProperties:false must be set on every object".
  groq: { ...accepting, held: { keywords: keywords("const"), closed: true }, isComplete: true },
  // 400 "Unknown name "$schema" at 'tools[0].function_declarations[0].parameters'".
  gemini: { ...accepting, tools: geminis, held: geminis },
  // `responseJsonSchema` reads a part of JSON Schema; tools take it as it is.
  geminiAnswers: {
    ...accepting,
    held: { keywords: keywords("format minItems maxItems prefixItems minimum maximum oneOf") }
  },
  // "Pattern must start with '^' and end with '$'": the schema of every tool becomes a grammar.
  llamacpp: { ...accepting, tools: { wholePatterns: true }, held: { wholePatterns: true } }
} satisfies Readonly<Record<string, SchemaRules>>

interface Fitted {
  readonly schema: JsonObject
  /** True if something that constrained the value no longer does. */
  readonly isLoosened: boolean
}

/** A schema within the limits. */
export const fitSchema = (schema: JsonObject, limits: SchemaLimits): Fitted => {
  if (limits === anything) return { schema, isLoosened: false }
  const fitting = new Fitting(limits)
  return { schema: fitting.fit(schema), isLoosened: fitting.isLoosened }
}

class Fitting {
  isLoosened = false
  readonly #limits: SchemaLimits

  constructor(limits: SchemaLimits) {
    this.#limits = limits
  }

  fit(schema: JsonObject): JsonObject {
    const fitted: Record<string, unknown> = {}
    const words: Array<string> = []
    for (const [key, value] of Object.entries(schema)) {
      if (key === "description") continue
      if (key === "oneOf" && !this.#accepts("oneOf", value)) {
        this.isLoosened = true
        // Beside an `anyOf` there is no place for it.
        if (schema["anyOf"] === undefined) fitted["anyOf"] = this.#each(value)
        else words.push(worded(key, value))
      } else if (this.#accepts(key, value)) fitted[key] = this.#within(key, value)
      else if (!silent.has(key)) words.push(worded(key, value))
    }
    if (words.length > 0) this.isLoosened = true
    return { ...this.#formed(fitted), ...described(schema["description"], words) }
  }

  #formed(fitted: Record<string, unknown>): JsonObject {
    const { closed, untypedLiterals } = this.#limits
    if (untypedLiterals === true && (fitted["enum"] !== undefined || fitted["const"] !== undefined)) {
      delete fitted["type"]
    }
    if (closed !== true || (fitted["type"] !== "object" && fitted["properties"] === undefined)) return fitted
    if ((fitted["additionalProperties"] ?? false) !== false) this.isLoosened = true
    return { properties: {}, ...fitted, additionalProperties: false }
  }

  #accepts(key: string, value: unknown): boolean {
    const { fewItems, formats, keywords, wholePatterns } = this.#limits
    if (keywords !== undefined && !structure.has(key) && !keywords.has(key)) return false
    if (key === "format") return formats?.has(String(value)) !== false
    if (key === "minItems") return fewItems !== true || value === 0 || value === 1
    return key !== "pattern" || wholePatterns !== true || isWhole(value)
  }

  #within(key: string, value: unknown): unknown {
    if (maps.has(key) && isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#one(inner)]))
    }
    return schemas.has(key) ? this.#one(value) : lists.has(key) ? this.#each(value) : value
  }

  #one(value: unknown): unknown {
    if (Array.isArray(value)) return this.#each(value)
    return isObject(value) ? this.fit(value) : value
  }

  #each(value: unknown): unknown {
    return Array.isArray(value) ? value.map((inner: unknown) => (isObject(inner) ? this.fit(inner) : inner)) : value
  }
}

/** Keywords that constrain nothing. */
const silent = keywords("$schema $id $comment $anchor examples deprecated readOnly writeOnly")
const maps = keywords("properties $defs definitions patternProperties dependentSchemas")
const schemas = keywords("items additionalProperties not if then else contains propertyNames additionalItems")
const lists = keywords("anyOf oneOf allOf prefixItems")

const isWhole = (pattern: unknown) =>
  typeof pattern === "string" && pattern.startsWith("^") && pattern.endsWith("$") && !pattern.endsWith("\\$")

const worded = (key: string, value: unknown) => `${key}: ${JSON.stringify(value)}`

const described = (description: unknown, words: ReadonlyArray<string>): JsonObject => {
  if (words.length === 0) return description === undefined ? {} : { description }
  const rules = `{${words.join(", ")}}`
  return { description: typeof description === "string" && description !== "" ? `${description}\n\n${rules}` : rules }
}

const combinations = ["anyOf", "oneOf", "allOf"] as const

/** A tool's schema without a combination at its top: the properties of all its variants, and the rule in words. */
export const flatten = (schema: JsonObject): JsonObject => {
  const found = combinations.filter((key) => Array.isArray(schema[key]))
  if (found.length === 0) return schema
  const { allOf: _allOf, anyOf: _anyOf, description, oneOf: _oneOf, ...rest } = schema
  const properties: Record<string, unknown> = {}
  const required = new Set(listAt(schema, "required"))
  for (const key of found) {
    const variants = listAt(schema, key)
    const counts = new Map<unknown, number>()
    for (const variant of variants) {
      Object.assign(properties, objectAt(variant, "properties"))
      for (const name of new Set(listAt(variant, "required"))) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const [name, count] of counts) if (key === "allOf" || count === variants.length) required.add(name)
  }
  return {
    ...rest,
    type: "object",
    properties: { ...properties, ...objectAt(schema, "properties") },
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...described(
      description,
      found.map((key) => worded(key, schema[key]))
    )
  }
}

/** A schema whose arrays all say what they hold; itself if they do. */
export const withItems = (schema: JsonObject): JsonObject => {
  const entries = Object.entries(schema)
  let isChanged = false
  const changed = entries.map(([key, value]): readonly [string, unknown] => {
    const inner =
      maps.has(key) && isObject(value) ? mapped(value) : schemas.has(key) || lists.has(key) ? one(value) : value
    if (inner !== value) isChanged = true
    return [key, inner]
  })
  const lacks = schema["type"] === "array" && schema["items"] === undefined && schema["prefixItems"] === undefined
  if (!isChanged && !lacks) return schema
  return { ...Object.fromEntries(changed), ...(lacks && { items: {} }) }
}

const one = (value: unknown): unknown => {
  if (isObject(value)) return withItems(value)
  if (!Array.isArray(value)) return value
  const inner = value.map(one)
  return inner.every((each, at) => each === value[at]) ? value : inner
}

const mapped = (value: JsonObject): JsonObject => {
  const inner = Object.entries(value).map(([name, each]) => [name, one(each)] as const)
  return inner.every(([name, each]) => each === value[name]) ? value : Object.fromEntries(inner)
}

/** True if a strict schema closes every object, requires every property and has no keyword that OpenAI refuses. */
export const isComplete = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isComplete)
  if (!isObject(schema)) return true
  const properties = objectAt(schema, "properties")
  const required = new Set(listAt(schema, "required"))
  if (schema["type"] === "object" || properties !== undefined) {
    if (schema["additionalProperties"] !== false) return false
    if (Object.keys(properties ?? {}).some((name) => !required.has(name))) return false
  }
  return Object.entries(schema).every(([key, value]) => {
    if (refused.has(key)) return false
    if (maps.has(key)) return !isObject(value) || Object.values(value).every(isComplete)
    return (!schemas.has(key) && !lists.has(key)) || isComplete(value)
  })
}

const refused = keywords(
  "oneOf allOf not if then else dependentRequired dependentSchemas patternProperties propertyNames contains " +
    "unevaluatedProperties unevaluatedItems minProperties maxProperties uniqueItems"
)

/** The number of properties that a schema does not require, at any depth. */
export const optionalProperties = (schema: unknown): number => {
  if (Array.isArray(schema)) return schema.reduce((sum: number, inner: unknown) => sum + optionalProperties(inner), 0)
  if (!isObject(schema)) return 0
  const required = new Set(listAt(schema, "required"))
  let count = 0
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && isObject(value)) {
      for (const name of Object.keys(value)) if (!required.has(name)) count++
    }
    if (maps.has(key) && isObject(value)) for (const inner of Object.values(value)) count += optionalProperties(inner)
    else if (schemas.has(key) || lists.has(key)) count += optionalProperties(value)
  }
  return count
}
