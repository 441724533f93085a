import type { JsonObject } from "../contract/fields.ts"
import { isCount, isObject, listAt, numberAt, objectAt, textAt } from "../contract/json/json.ts"
import type { Demand, Dimension } from "./Demand.ts"
import { hostedToolReader } from "./hostedTools.ts"

/** The field that bounds the calls of hosted tools: of the body in responses, of each tool in messages, none in chat. */
type CallBound = "max_tool_calls" | "max_uses"

/**
 * The dimensions that a request asks for, in any family's dialect. Tools that the caller runs or that cost nothing are
 * left out.
 *
 * @param body as it was sent
 * @param bound the dialect's bound of calls: no upstream heeds another dialect's
 * @param earlier items of the conversation that the body refers to
 */
export const demandsOf = (
  body: unknown,
  bound?: CallBound,
  earlier: ReadonlyArray<unknown> = []
): ReadonlyArray<Demand> => {
  if (!isObject(body)) return []
  const found: Array<Demand> = []
  fieldDemands(body, "", found)
  // Some routers unpack it.
  const extra = objectAt(body, "extra_body")
  if (extra !== undefined) fieldDemands(extra, "extra_body.", found)
  const tools = (list: ReadonlyArray<unknown>, at: string) => {
    const read = hostedToolReader(list)
    for (const [index, tool] of list.entries()) {
      const demand = read(tool)
      if (demand === undefined) continue
      const mostCalls = bound && callsWithin(bound === "max_uses" ? tool : body, bound)
      found.push({ ...demand, param: `${at}[${index}]`, ...(mostCalls !== undefined && { mostCalls }) })
    }
  }
  tools(listAt(body, "tools"), "tools")
  for (const name of ["messages", "input"]) {
    for (const [index, item] of listAt(body, name).entries()) itemDemands(item, `${name}[${index}]`, found, tools)
  }
  for (const item of earlier) itemDemands(item, "input", found, tools)
  return found
}

const fieldDemands = (body: JsonObject, at: string, found: Array<Demand>): void => {
  for (const [field, read] of fields) {
    const value = body[field] ?? undefined
    if (value !== undefined) found.push(...read(value, `${at}${field}`))
  }
}

/** True if a body asks the provider for a search. */
export const asksForSearch = (body: JsonObject): boolean =>
  demandsOf({ ...body, messages: undefined }).some(({ of }) => of === "web_search")

/** A bound that is none, such as -1 or 0.5, leaves the calls unbounded. */
const callsWithin = (place: unknown, bound: CallBound): number | undefined => {
  const most = numberAt(place, bound)
  return most !== undefined && most > 0 && isCount(most) ? most : undefined
}

type Read = (value: unknown, field: string) => ReadonlyArray<Demand>

/** A field whose value names the dimension; the price knows which values are the plain ones. */
const named =
  (of: Dimension, carriedAs?: NonNullable<Demand["carriedAs"]>): Read =>
  (value, param) =>
    typeof value === "string" ? [{ of, param, value, ...(carriedAs !== undefined && { carriedAs }) }] : []

const search = (param: string): Demand => ({ of: "web_search", param, value: "web_search" })

/** The models of a list of names, or of objects that have them. */
const otherModels: Read = (value, field) =>
  typeof value === "string"
    ? [{ of: "other_model", param: field, value }]
    : (Array.isArray(value) ? value : []).map((one: unknown, index) => ({
        of: "other_model",
        param: `${field}[${index}]`,
        value: typeof one === "string" ? one : (textAt(one, "model") ?? "")
      }))

/** The fields outside of tools and content, by name: no two dialects give one name another meaning. */
const fields: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["service_tier", named("service_tier", "serviceTier")],
  // Google's and Amazon's spelling, which their servers of other dialects may take too.
  ["serviceTier", named("service_tier")],
  ["speed", named("speed")],
  ["inference_geo", named("inference_geo")],
  [
    "modalities",
    (value, param) =>
      (Array.isArray(value) ? value : []).flatMap((kind: unknown) =>
        kind === "audio" || kind === "image" ? [{ of: kind, param, value: kind }] : []
      )
  ],
  ["audio", (value, param) => (isObject(value) ? [{ of: "audio", param, value: "audio" }] : [])],
  ["prompt_cache_options", (value, param) => longCache(value, param)],
  ["web_search_options", (value, param) => (isObject(value) ? [search(param)] : [])],
  // xAI, Alibaba, OpenRouter.
  ["search_parameters", (value, param) => (isObject(value) && value["mode"] !== "off" ? [search(param)] : [])],
  ["enable_search", (value, param) => (value === true ? [search(param)] : [])],
  [
    "plugins",
    (value, param) =>
      (Array.isArray(value) ? value : []).flatMap((plugin: unknown, index) =>
        textAt(plugin, "id") === "web" ? [search(`${param}[${index}]`)] : []
      )
  ],
  ["models", otherModels],
  // Each may work beside the first one; of `models`, one answers.
  ["fallbacks", (value, field) => otherModels(value, field).map((one) => ({ ...one, model: one.value }))],
  [
    "context_management",
    (value, param) => {
      const edits = Array.isArray(value) ? value : listAt(value, "edits")
      const compacts = edits.some((edit) => textAt(edit, "type")?.startsWith("compact") === true)
      return compacts ? [{ of: "compaction", param, value: "compaction" }] : []
    }
  ]
])

/** Writes for half an hour are the plain ones. */
const longCache = (value: unknown, at: string): ReadonlyArray<Demand> => {
  const ttl = textAt(value, "ttl")
  return ttl === undefined || ttl === "30m" ? [] : [{ of: "long_cache", param: `${at}.ttl`, value: ttl }]
}

/** The demands of a message or item: sound, cache breakpoints, and tools that it adds. */
const itemDemands = (
  item: unknown,
  at: string,
  found: Array<Demand>,
  tools: (list: ReadonlyArray<unknown>, at: string) => void
): void => {
  if (!isObject(item)) return
  if (addsTools.has(textAt(item, "type") ?? "")) tools(listAt(item, "tools"), `${at}.tools`)
  if (objectAt(item, "audio") !== undefined) found.push({ of: "audio", param: `${at}.audio`, value: "audio" })
  const content = listAt(item, "content")
  for (let index = 0; index < content.length; index++) {
    const part = content[index]
    const type = textAt(part, "type") ?? ""
    if (type === "text" && !isMarked(part)) continue
    if (type === "input_audio" || type === "audio_url") {
      found.push({ of: "audio", param: `${at}.content[${index}]`, value: type, carriedAs: "audio" })
    } else if (type === "tool_addition") {
      const definition = objectAt(objectAt(part, "tool"), "definition")
      const demand = hostedToolReader([definition])(definition)
      if (demand !== undefined) found.push({ ...demand, param: `${at}.content[${index}].tool` })
    }
    if (isMarked(part)) {
      found.push(...longCache(part["prompt_cache_breakpoint"], `${at}.content[${index}].prompt_cache_breakpoint`))
    }
  }
}

const addsTools = new Set(["additional_tools", "tool_search_output"])

const isMarked = (part: unknown): part is Readonly<Record<string, unknown>> =>
  isObject(part) && part["prompt_cache_breakpoint"] !== undefined
