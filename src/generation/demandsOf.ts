import type { JsonObject } from "../contract/fields.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../contract/json.ts"
import type { Demand, Dimension } from "./Demand.ts"
import { hostedToolIn } from "./hostedTools.ts"

/**
 * The dimensions that a request asks for, in any family's dialect. Fields whose value is the plain one are left out, and
 * so are tools that the caller runs or that cost nothing.
 *
 * @param body as it was sent
 * @param earlier items of the conversation that the body refers to
 */
export const demandsOf = (body: unknown, earlier: ReadonlyArray<unknown> = []): ReadonlyArray<Demand> => {
  if (!isObject(body)) return []
  const found: Array<Demand> = []
  for (const [field, read] of fields) {
    const value = body[field] ?? undefined
    if (value !== undefined) found.push(...read(value, field))
  }
  const most = numberAt(body, "max_tool_calls")
  const tools = (list: ReadonlyArray<unknown>, at: string) => {
    for (const [index, tool] of list.entries()) {
      const demand = hostedToolIn(tool, list)
      if (demand === undefined) continue
      const mostCalls = numberAt(tool, "max_uses") ?? most
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

/** True if a body asks the provider for a search. */
export const asksForSearch = (body: JsonObject): boolean =>
  demandsOf({ ...body, messages: undefined }).some(({ of }) => of === "web_search")

type Read = (value: unknown, field: string) => ReadonlyArray<Demand>

/** A field with one plain value or more; any other asks for the dimension. */
const unless =
  (of: Dimension, plain: ReadonlyArray<string>, carriedAs?: NonNullable<Demand["carriedAs"]>): Read =>
  (value, param) => {
    if (typeof value !== "string" || plain.includes(value.toLowerCase())) return []
    return [{ of, param, value, ...(carriedAs !== undefined && { carriedAs }) }]
  }

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
  [
    "service_tier",
    unless("service_tier", ["auto", "default", "standard", "standard_only", "on_demand"], "serviceTier")
  ],
  ["speed", unless("speed", ["standard"])],
  ["inference_geo", unless("inference_geo", ["global"])],
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
  ["fallbacks", otherModels],
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
      const demand = hostedToolIn(definition, [definition])
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
