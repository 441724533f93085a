import type { JsonObject } from "../../contract/fields.ts"
import { isObject } from "../../contract/json/json.ts"

/** A field that a place refused: the table of places is behind, or the caller made it up. */
export interface RefusedField {
  /** Its path in the request, or `anthropic-beta` with the name of a beta. */
  readonly path: string
  /** The sentence that refuses it, of which the path alone may be the caller's. */
  readonly words: string
  /** True if another value may be taken. */
  readonly isOfValue: boolean
}

/**
 * The sentences of places that refuse a field, as they begin a message. Converse puts words of its own in front of a
 * model's, FastAPI the path.
 */
const sentences: ReadonlyArray<RegExp> = [
  // Anthropic and its clouds, FastAPI.
  /^(?:The model returned the following errors: )?(?<path>[\w.[\]-]{1,100}): Extra inputs are not permitted/,
  /^(?:The model returned the following errors: )?`(?<path>[\w.-]{1,100})` is (?:deprecated|not supported|unsupported)\b/,
  /^(?:The model returned the following errors: )?(?:Unexpected value\(s\) `(?<beta>[\w.,-]{1,100})` for the `anthropic-beta` header|invalid beta flag)/i,
  // Fireworks.
  /^Extra inputs are not permitted, field: '(?<path>[\w.-]{1,100})'/,
  // AWS.
  /^(?:The model returned the following errors: )?Malformed input request: #: extraneous key \[(?<path>[\w.-]{1,100})\] is not permitted/,
  // OpenAI and Azure.
  /^Unrecognized request argument supplied: (?<path>[\w.-]{0,99}\w)/,
  /^(?:Unknown|Unsupported) parameter: '?(?<path>[\w.[\]-]{0,99}[\w\]])'?/,
  /^(?<value>Unsupported value): '(?<path>[\w.[\]-]{1,100})' does not support\b/,
  // Groq, Cerebras.
  /^property '(?<path>[\w.-]{1,100})' is unsupported/,
  /\('(?<within>[\w.-]{1,100})' : property '(?<path>[\w.-]{1,100})' is unsupported/,
  // xAI.
  /^Argument not supported on this model: (?<path>[\w.-]{0,99}\w)/,
  /^Model [\w.:/-]{1,100} does not support parameter (?<path>[\w.-]{0,99}\w)/,
  // Google.
  /^Invalid JSON payload received\. Unknown name "(?<path>[\w.-]{1,100})"(?: at '(?<within>[\w.[\]-]{1,100})')?: Cannot find field/
]

/** The field that a refusal names; undefined if it is about something else, such as a value. */
export const refusedField = (message: string): RefusedField | undefined => {
  for (const sentence of sentences) {
    const found = sentence.exec(message)
    if (found === null) continue
    const { beta, path, value, within } = found.groups ?? {}
    const named = path ?? ["anthropic-beta", ...(beta === undefined ? [] : [beta])].join(".")
    const isTop = within === undefined || holders.includes(camel(within))
    return { path: isTop ? named : `${within}.${named}`, words: found[0], isOfValue: value !== undefined }
  }
  return undefined
}

/**
 * Fields whose absence would make another request of it: the conversation, its tools and sources, its format, its end,
 * the number of answers, what is paid for it, where it runs, what is kept of it and what guards it. So would bounds.
 */
const essential: ReadonlyArray<string> = [
  ..."model stream messages input contents prompt conversation previousResponseId cachedContent".split(" "),
  ..."system systemInstruction instructions tools toolChoice toolConfig functions mcpServers".split(" "),
  ..."toolResources container webSearchOptions searchParameters searchOptions enableSearch plugins".split(" "),
  ..."dataSources documents functionCall responseFormat outputFormat format text.format".split(" "),
  ..."guidedJson guidedRegex guidedChoice guidedGrammar structuredOutputs jsonSchema grammar regex".split(" "),
  ..."outputConfig.format outputConfig.textFormat".split(" "),
  ..."responseSchema responseJsonSchema responseMimeType responseModalities modalities".split(" "),
  ..."audio stop stopSequences n bestOf candidateCount echo suffix".split(" "),
  ..."serviceTier speed performanceConfig inferenceGeo store background".split(" "),
  ..."provider models route fallbacks zdr".split(" "),
  ..."guardrailConfig guardrails safetySettings safetyMode safePrompt moderation".split(" ")
]

const bound = /^max[A-Z]/

/** Values of these fields that mean the same as their absence. */
const usual: ReadonlyMap<string, string> = new Map([
  ["modalities", '["text"]'],
  ["n", "1"],
  ["bestOf", "1"],
  ["candidateCount", "1"],
  ["responseFormat", '{"type":"text"}'],
  ["toolChoice", '"auto"'],
  ["functionCall", '"auto"']
])

/** Objects that only hold optional fields, which refusals name without them. */
const holders: ReadonlyArray<string> = ["generationConfig", "inferenceConfig", "additionalModelRequestFields"]

/**
 * A request without an optional field, by its path in one of the spellings of the dialects; undefined if it has no such
 * field, if that is in a list, or if the request would mean something else without it.
 */
export const withoutField = (body: JsonObject, path: string): JsonObject | undefined => {
  const steps = path.split(".").map(camel)
  const [first] = steps
  const optional = holders.includes(first ?? "") ? steps.slice(1) : steps
  if (optional.length === 0 || optional.some((step) => bound.test(step))) return undefined
  const left = without(body, steps)
  if (essential.some((one) => isWithin(one, optional.join(".")))) {
    return steps.length === 1 && isUsual(body, first) ? left : undefined
  }
  if (left !== undefined || steps.length > 1) return left
  for (const holder of holders) {
    const found = without(body, [holder, ...steps])
    if (found !== undefined) return found
  }
  return undefined
}

const isUsual = (body: JsonObject, step = ""): boolean => {
  const name = Object.keys(body).find((key) => camel(key) === step)
  const value = usual.get(step)
  return name !== undefined && value !== undefined && JSON.stringify(body[name]) === value
}

/** A request without these optional fields, and the paths of those that it had. */
export const withoutFields = (body: JsonObject, paths: ReadonlyArray<string>): Lesser => {
  const names: Array<string> = []
  let left = body
  for (const path of paths) {
    const lesser = withoutField(left, path)
    if (lesser === undefined) continue
    left = lesser
    names.push(path)
  }
  return { body: left, names }
}

interface Lesser {
  readonly body: JsonObject
  /** The paths of what is left out. */
  readonly names: ReadonlyArray<string>
}

/** True if one of two paths leads through the other. */
const isWithin = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)

const without = (body: JsonObject, [step, ...deeper]: ReadonlyArray<string>): JsonObject | undefined => {
  const name = Object.keys(body).find((key) => camel(key) === step)
  if (name === undefined || body[name] === undefined) return undefined
  const { [name]: inner, ...rest } = body
  if (deeper.length === 0) return rest
  const left = isObject(inner) ? without(inner, deeper) : undefined
  if (left === undefined) return undefined
  return Object.keys(left).length === 0 ? rest : { ...body, [name]: left }
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
