import { Budget } from "./Budget.ts"
import { formats } from "./formats.ts"
import { list, record, Resolver } from "./Resolver.ts"
import type { Schema } from "./Resolver.ts"
import { Words } from "./Words.ts"

/** A value for a schema. */
export interface Sample {
  readonly value: unknown
  /** False if a complete value would exceed the token limit. */
  readonly isWhole: boolean
}

/**
 * A value for a JSON Schema, made from a text: numbers and names are taken from the text where they fit. Supports what
 * tools and output formats use: types, const, enum, default, examples, objects (required first, optional properties
 * three levels deep), arrays, formats, lengths, ranges, anyOf/oneOf/allOf and local `$ref`s. A `pattern` is tried with
 * a few common values. The value never exceeds the tokens, whatever the schema requires, recursion included.
 */
export const sample = (schema: Schema, text: string, tokens = Infinity): Sample => {
  const budget = new Budget(tokens)
  const place = { words: new Words(text, budget), schemas: new Resolver(schema, budget), depth: 0, index: 0, budget }
  const value = make(schema, place)
  return { value, isWhole: !budget.isOver }
}

interface Place {
  readonly words: Words
  readonly schemas: Resolver
  readonly depth: number
  /** The array index, so that elements differ. */
  readonly index: number
  readonly budget: Budget
  /** The name of the property. */
  readonly name?: string
}

const deepestOptional = 3
const deepest = 40

const make = (given: unknown, place: Place): unknown => {
  const { budget, schemas } = place
  if (place.depth > deepest) budget.giveUp()
  if (!budget.step() || !budget.write(1) || given === false) return null
  const schema = schemas.resolve(given)
  if ("const" in schema) return asGiven(schema["const"], budget)
  const choices = list(schema["enum"])
  if (choices.length > 0) return asGiven(choose(choices, place), budget)
  const branch = schemas.branch(schema)
  if (branch !== undefined) return make(branch, { ...place, depth: place.depth + 1 })
  if ("default" in schema && schema["default"] !== null) return asGiven(schema["default"], budget)
  const examples = list(schema["examples"])
  if (examples.length > 0) return asGiven(examples[place.index % examples.length], budget)
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

/** A value that the schema itself contains. */
const asGiven = (value: unknown, budget: Budget): unknown => {
  const length = typeof value === "object" && value !== null ? JSON.stringify(value).length : String(value).length
  return budget.step(length / 1_000) && budget.write(length) ? value : null
}

const makeObject = (schema: Schema, place: Place): Record<string, unknown> => {
  const properties = record(schema["properties"])
  const required = list(schema["required"]).filter((name) => typeof name === "string")
  const described = Object.keys(properties)
  if (!place.budget.step(described.length / 10 + required.length / 10)) return {}
  const wanted = new Set(required)
  // Keeps the schema's order; required properties without a schema come last.
  const order = [
    ...described.filter((name) => place.depth < deepestOptional || wanted.has(name)),
    ...[...wanted].filter((name) => !Object.hasOwn(properties, name))
  ]
  const extra = record(schema["additionalProperties"])
  const made: Array<readonly [string, unknown]> = []
  for (const name of order) {
    if (!place.budget.write(name.length)) break
    const property = Object.hasOwn(properties, name) ? properties[name] : extra
    made.push([name, make(property, { ...place, depth: place.depth + 1, name })])
  }
  return Object.fromEntries(made)
}

const makeArray = (schema: Schema, place: Place): ReadonlyArray<unknown> => {
  const first = list(schema["prefixItems"])
  const least = Math.max(number(schema["minItems"]) ?? 1, first.length)
  // An optional array of optional elements can end a recursion.
  const wanted = place.depth > deepestOptional && number(schema["minItems"]) === undefined ? first.length : least
  const length = Math.min(wanted, number(schema["maxItems"]) ?? Infinity)
  const made: Array<unknown> = []
  for (let index = 0; index < length && !place.budget.isOver; index++) {
    made.push(make(first[index] ?? schema["items"] ?? {}, { ...place, depth: place.depth + 1, index }))
  }
  return made
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
  const fitting = place.budget.step(place.words.numbers.length / 10) ? place.words.numbers.filter(fits) : []
  const mentioned = fitting[place.index % Math.max(fitting.length, 1)]
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
  const { budget, words } = place
  const format = formats.get(typeof schema["format"] === "string" ? schema["format"] : "")
  const { pattern } = schema
  const least = number(schema["minLength"]) ?? 0
  let text: string
  if (format !== undefined) text = format(place.index)
  else if (typeof pattern === "string") text = words.matching(pattern, place.name ?? "")
  else {
    text = words.for(place.name ?? "")
    if (place.index > 0) text = `${text} ${place.index + 1}`
    const most = number(schema["maxLength"]) ?? longestString
    if (text.length > most) text = text.slice(0, most).trimEnd()
    if (text.length < least) text = text.padEnd(Math.min(least, text.length + budget.characters), padding)
  }
  budget.write(Math.max(text.length, least))
  return text
}

const longestString = 200
const padding = " and so on"

/** The choice that the text names, otherwise the first. */
const choose = (choices: ReadonlyArray<unknown>, place: Place): unknown => {
  const looked = choices.slice(0, mostChoices)
  if (!place.budget.step(looked.length)) return null
  const named = looked.filter((choice) => typeof choice === "string" && choice !== "" && place.words.includes(choice))
  const from = named.length > 0 ? named : choices
  return from[place.index % from.length]
}

/** The most choices that are searched for in the text. */
const mostChoices = 500

const typeOf = (schema: Schema): unknown => {
  const type = Array.isArray(schema["type"]) ? (schema["type"].find((one) => one !== "null") ?? "null") : schema["type"]
  if (type !== undefined) return type
  if ("properties" in schema || "required" in schema) return "object"
  return "items" in schema || "prefixItems" in schema ? "array" : "string"
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
