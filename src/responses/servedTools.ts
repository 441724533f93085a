import { listAt, textAt } from "../contract/json/json.ts"

/** The tools of a request that upstreams of every dialect can have, as they were sent. */
export const servedTools = (body: unknown): ReadonlyArray<unknown> =>
  [
    ...listAt(body, "tools"),
    ...listAt(body, "input").flatMap((item) => (toolItems.has(textAt(item, "type") ?? "") ? listAt(item, "tools") : []))
  ].filter((tool) => servedTypes.has(textAt(tool, "type") ?? ""))

export const isSearch = (tool: unknown): boolean => textAt(tool, "type")?.startsWith("web_search") === true

const toolItems = new Set(["additional_tools", "tool_search_output"])
const servedTypes = new Set(["function", "custom", "namespace", "tool_search", "web_search", "web_search_preview"])
