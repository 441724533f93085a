import { isToolSearchEntry } from "../ToolEntry.ts"
import type { ClientTool } from "./ClientTool.ts"

/** `tool_search` with `execution: client`: the caller searches for tools that the model was not shown. */
export const toolSearch: ClientTool = {
  call: "tool_search_call",
  prefix: "tsc",
  name: "tool_search",
  types: ["tool_search"],
  asFunction: (entry) =>
    isToolSearchEntry(entry)
      ? {
          description:
            entry.description ?? "Searches for tools that are not shown yet; those found can be called afterwards.",
          parameters: entry.parameters ?? {
            type: "object",
            properties: { query: { type: "string" } },
            required: ["query"]
          }
        }
      : undefined,
  itemOf: (state, args) => ({ ...state, type: "tool_search_call", execution: "client", arguments: args })
}
