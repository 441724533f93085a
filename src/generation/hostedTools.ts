import { firstMatch } from "../contract/text/firstMatch.ts"
import type { HostedCall } from "../contract/records/HostedCall.ts"
import { isObject, objectAt, textAt } from "../contract/json/json.ts"
import type { Demand } from "./Demand.ts"

/**
 * Reads the billed work of each tool of a list that the provider runs; undefined for functions, for tools that the
 * caller runs and for those that cost only tokens (fetching a page, MCP, the search for tools).
 */
export const hostedToolReader = (all: ReadonlyArray<unknown>): ((tool: unknown) => HostedTool | undefined) => {
  let filters: boolean | undefined
  // Looked up once a list: a list may be long.
  return (tool) => hostedToolIn(tool, () => (filters ??= all.some(isFiltered)))
}

type HostedTool = Omit<Demand, "param">

const hostedToolIn = (tool: unknown, isFilteredList: () => boolean): HostedTool | undefined => {
  if (!isObject(tool)) return undefined
  const value = textAt(tool, "type") ?? Object.keys(tool).find((key) => geminiTools.has(key))
  if (value === undefined || value === "function" || value === "custom") return undefined
  const name = value.replace(/^openrouter:/, "")
  if (/^advisor(_\d+)?$/.test(name)) return { of: "other_model", value, model: textAt(tool, "model") ?? value }
  const of = callOf(name, tool)
  if (of === undefined) return undefined
  // Anthropic does not bill code that filters what its searches and fetches found.
  if (of === "code_execution" && isFilteredList()) return undefined
  if (of === "image_generation") return { of, value, model: textAt(tool, "model") ?? usualImageModel }
  return { of, value }
}

/** The model that makes OpenAI's images if the tool names none. */
export const usualImageModel = "gpt-image-2.6-sunburst"

const callOf = (name: string, tool: unknown): HostedCall | undefined => {
  // Without an environment, or with a local one, the caller runs the commands.
  if (name === "shell") return isHostedPlace(objectAt(tool, "environment")) ? "shell" : undefined
  // Moonshot's.
  if (name === "builtin_function") {
    return textAt(objectAt(tool, "function"), "name") === "$web_search" ? "web_search" : undefined
  }
  return firstMatch(calls, name)
}

/** True for a container of the provider. */
export const isHostedPlace = (environment: unknown): boolean => {
  const type = textAt(environment, "type")
  return type !== undefined && type !== "local"
}

/** Dates and versions follow the names of many. Gemini's stand in either case. */
const calls: ReadonlyArray<readonly [RegExp, HostedCall]> = [
  [/^(web_search|browser_search|google_?search|enterprise_?web_?search)/i, "web_search"],
  [/^image_generation/, "image_generation"],
  [/^code_interpreter/, "code_interpreter"],
  [/^code_?execution/i, "code_execution"],
  [/^(file_?search|retrieval$)/i, "file_search"],
  [/^x_search/, "x_search"],
  [/^collections_search/, "collections_search"],
  [/^(google_?)?maps/i, "maps"]
]

/** Tools in Gemini's form have no type but a field of their name. */
const geminiTools = new Set(
  [
    ["google_search", "googleSearch"],
    ["google_search_retrieval", "googleSearchRetrieval"],
    ["enterprise_web_search", "enterpriseWebSearch"],
    ["google_maps", "googleMaps"],
    ["code_execution", "codeExecution"],
    ["file_search", "fileSearch"]
  ].flat()
)

const isFiltered = (tool: unknown): boolean => {
  const [, date] = /^web_(?:search|fetch)_(\d{8})$/.exec(textAt(tool, "type") ?? "") ?? []
  return date !== undefined && Number(date) >= firstFiltered
}

const firstFiltered = 20_260_209
