/**
 * A value that a JSON Schema describes, made from a text: numbers and names are taken from the text where they fit.
 * Knows what tools and output formats use: types, const, enum, default, examples, objects (required first, optional ones
 * three levels deep), arrays, formats, lengths, ranges, anyOf/oneOf/allOf and local `$ref`s. A `pattern` is tried with a
 * few common values. A schema that requires itself has no value: null ends it.
 */
export const sample = (schema: Schema, text: string): unknown =>
  make(schema, { root: schema, text, depth: 0, index: 0, budget: { values: mostValues } })

type Schema = Readonly<Record<string, unknown>>

interface Place {
  readonly root: Schema
  readonly text: string
  readonly depth: number
  /** Of an array's element, so that elements differ. */
  readonly index: number
  /** Values that may still be made, in the whole. */
  readonly budget: { values: number }
  /** Of the property that the value is for. */
  readonly name?: string
}

const deepestOptional = 3
const deepest = 40
const mostValues = 2_000

const make = (given: unknown, place: Place): unknown => {
  if (place.depth > deepest || place.budget.values-- <= 0) return null
  if (given === false) return null
  const schema = resolve(given, place.root, 0)
  if ("const" in schema) return schema["const"]
  const choices = list(schema["enum"])
  if (choices.length > 0) return choose(choices, place)
  const branch = [...list(schema["anyOf"]), ...list(schema["oneOf"])].find((one) => !isNullOnly(one, place.root))
  if (branch !== undefined) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema
    return make(merge(rest, resolve(branch, place.root, 0)), { ...place, depth: place.depth + 1 })
  }
  if ("default" in schema && schema["default"] !== null) return schema["default"]
  const examples = list(schema["examples"])
  if (examples.length > 0) return examples[place.index % examples.length]
  switch (typeOf(schema)) {
    case "object":
      return makeObject(schema, place)
    case "array":
      return makeArray(schema, place)
    case "integer":
      return makeNumber(schema, place, 1)
    case "number":
      return makeNumber(schema, place, undefined)
    case "boolean":
      return place.index % 2 === 0
    case "null":
      return null
    default:
      return makeString(schema, place)
  }
}

const makeObject = (schema: Schema, place: Place): Record<string, unknown> => {
  const properties = record(schema["properties"])
  const required = list(schema["required"]).filter((name) => typeof name === "string")
  const names = new Set([...Object.keys(properties).filter((name) => required.includes(name)), ...required])
  if (place.depth < deepestOptional) for (const name of Object.keys(properties)) names.add(name)
  // Keeps the schema's order; what is required without being described comes last.
  const order = [
    ...Object.keys(properties).filter((name) => names.has(name)),
    ...required.filter((name) => !(name in properties))
  ]
  const extra = record(schema["additionalProperties"])
  return Object.fromEntries(
    order.map((name) => [name, make(properties[name] ?? extra, { ...place, depth: place.depth + 1, name })])
  )
}

const makeArray = (schema: Schema, place: Place): ReadonlyArray<unknown> => {
  const first = list(schema["prefixItems"])
  const least = Math.max(number(schema["minItems"]) ?? 1, first.length)
  // An optional list of optional things can end a recursion.
  const wanted = place.depth > deepestOptional && number(schema["minItems"]) === undefined ? first.length : least
  const length = Math.min(wanted, number(schema["maxItems"]) ?? 100, 100)
  return Array.from({ length }, (_, index) =>
    make(first[index] ?? schema["items"] ?? {}, { ...place, depth: place.depth + 1, index })
  )
}

const makeNumber = (schema: Schema, place: Place, whole: 1 | undefined): number => {
  const step = number(schema["multipleOf"]) ?? whole
  const unit = step ?? 1
  const above = number(schema["exclusiveMinimum"])
  const below = number(schema["exclusiveMaximum"])
  const least = Math.max(
    number(schema["minimum"]) ?? -Infinity,
    above === undefined ? -Infinity : next(above, step, unit)
  )
  const most = Math.min(
    number(schema["maximum"]) ?? Infinity,
    below === undefined ? Infinity : before(below, step, unit)
  )
  const fits = (value: number) => value >= least && value <= most && (step === undefined || isMultiple(value, step))
  const said = (place.text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number).filter(fits)
  const mentioned = said[place.index % Math.max(said.length, 1)]
  if (mentioned !== undefined) return mentioned
  const start = least === -Infinity ? (most === Infinity ? unit : Math.min(unit, most)) : least
  const value = step === undefined ? start : Math.ceil(start / step) * step
  const later = value + place.index * unit
  return fits(later) ? later : fits(value) ? value : step === undefined ? least : Math.floor(most / step) * step
}

const next = (limit: number, step: number | undefined, unit: number) =>
  step === undefined ? limit + Number.EPSILON * Math.max(1, Math.abs(limit)) * 2 : limit + unit
const before = (limit: number, step: number | undefined, unit: number) =>
  step === undefined ? limit - Number.EPSILON * Math.max(1, Math.abs(limit)) * 2 : limit - unit
const isMultiple = (value: number, step: number) => Math.abs(value / step - Math.round(value / step)) < 1e-9

const makeString = (schema: Schema, place: Place): string => {
  const format = formats.get(typeof schema["format"] === "string" ? schema["format"] : "")
  if (format !== undefined) return format(place.index)
  const pattern = schema["pattern"]
  if (typeof pattern === "string") return matching(pattern, place)
  const least = number(schema["minLength"]) ?? 0
  const most = number(schema["maxLength"]) ?? longestString
  let text = wordsFor(place)
  if (place.index > 0) text = `${text} ${place.index + 1}`
  if (text.length > most) text = text.slice(0, most).trimEnd()
  return text.length < least ? text.padEnd(least, "x") : text
}

const longestString = 200

/** A name out of the text where the field asks for a thing ("Paris" for `city`), else the whole text. */
const wordsFor = ({ name = "", text }: Place): string => {
  const whole = text.trim() === "" ? "sandbox" : text.trim()
  if (name === "" || textual.test(name)) return whole
  return /(?<=\S\s+["'(]?)\p{Lu}[\p{L}\p{N}-]*(?:\s\p{Lu}[\p{L}\p{N}-]*)*/u.exec(whole)?.[0] ?? whole
}
const textual = /^(?:answer|body|content|description|input|message|prompt|q|query|question|reason|summary|text)$/i

const formats: ReadonlyMap<string, (index: number) => string> = new Map([
  ["date", (index) => `2025-01-${String((index % 28) + 1).padStart(2, "0")}`],
  ["date-time", (index) => `2025-01-${String((index % 28) + 1).padStart(2, "0")}T12:00:00Z`],
  ["time", (index) => `12:${String(index % 60).padStart(2, "0")}:00Z`],
  ["duration", (index) => `PT${index + 1}H`],
  ["email", (index) => `user${index + 1}@example.com`],
  ["idn-email", (index) => `user${index + 1}@example.com`],
  ["hostname", (index) => `host${index + 1}.example.com`],
  ["ipv4", (index) => `192.0.2.${(index % 254) + 1}`],
  ["ipv6", (index) => `2001:db8::${(index + 1).toString(16)}`],
  ["uri", (index) => `https://example.com/${index + 1}`],
  ["url", (index) => `https://example.com/${index + 1}`],
  ["uri-reference", (index) => `/items/${index + 1}`],
  ["uuid", (index) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`]
])

const patternValues = [
  "a",
  "A",
  "1",
  "abc",
  "ABC",
  "Abc",
  "abc-1",
  "ABC-123",
  "123",
  "12345",
  "1234567890",
  "a1",
  "2025-01-01",
  "12:00"
]

const matching = (pattern: string, place: Place): string => {
  try {
    const rule = new RegExp(pattern, "u")
    const candidates = [wordsFor(place), ...place.text.split(/\s+/), ...patternValues]
    return candidates.find((value) => rule.test(value)) ?? wordsFor(place)
  } catch {
    return wordsFor(place)
  }
}

/** The choice that the text names, else the first. */
const choose = (choices: ReadonlyArray<unknown>, place: Place): unknown => {
  const text = place.text.toLowerCase()
  const named = choices.filter(
    (choice) => typeof choice === "string" && choice !== "" && text.includes(choice.toLowerCase())
  )
  const from = named.length > 0 ? named : choices
  return from[place.index % from.length]
}

const typeOf = (schema: Schema): unknown => {
  const type = Array.isArray(schema["type"]) ? (schema["type"].find((one) => one !== "null") ?? "null") : schema["type"]
  if (type !== undefined) return type
  if ("properties" in schema || "required" in schema) return "object"
  return "items" in schema || "prefixItems" in schema ? "array" : "string"
}

/** Follows local references and folds `allOf` in. */
const resolve = (given: unknown, root: Schema, hops: number): Schema => {
  let schema = record(given)
  const reference = schema["$ref"]
  if (typeof reference === "string" && hops < deepest) {
    const { $ref: _reference, ...rest } = schema
    schema = merge(resolve(at(root, reference), root, hops + 1), rest)
  }
  const all = list(schema["allOf"])
  if (all.length === 0) return schema
  const { allOf: _all, ...rest } = schema
  return all.reduce<Schema>((merged, one) => merge(merged, resolve(one, root, hops + 1)), rest)
}

const at = (root: Schema, reference: string): unknown => {
  if (!reference.startsWith("#")) return {}
  let found: unknown = root
  for (const step of reference
    .slice(1)
    .split("/")
    .filter((step) => step !== "")) {
    found = record(found)[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")]
  }
  return found
}

const merge = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...("properties" in one || "properties" in other
    ? { properties: { ...record(one["properties"]), ...record(other["properties"]) } }
    : {}),
  ...("required" in one || "required" in other
    ? { required: [...new Set([...list(one["required"]), ...list(other["required"])])] }
    : {})
})

const isNullOnly = (given: unknown, root: Schema) => resolve(given, root, 0)["type"] === "null"

const record = (value: unknown): Schema => (isRecord(value) ? value : {})
const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
