import { Unknown } from "../contract/Unknown.ts"
import type { Tool, WebSearchTool } from "./Tools.ts"

export const isWebSearch = (tool: Tool): tool is WebSearchTool =>
  !(tool instanceof Unknown) && (tool.type?.startsWith("web_search") ?? false)

/** A tool's name. Web search has a default. */
export const toolName = (tool: Tool): string =>
  tool instanceof Unknown ? tool.type : (tool.name ?? (isWebSearch(tool) ? "web_search" : (tool.type ?? "")))
