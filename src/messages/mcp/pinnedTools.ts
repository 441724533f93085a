import { isObject } from "../../contract/json/json.ts"
import type { PinnedTool } from "../../generation/McpServerRequest.ts"
import type { Complain } from "../../pipeline/askedServers.ts"

/** A server's tools as the request lists them: in its toolset, or in an earlier answer's `mcp_tool_listing`. */
export const pinnedTools = (sent: unknown, path: string, complain: Complain): ReadonlyArray<PinnedTool> => {
  if (!Array.isArray(sent)) {
    complain(path, "expected a list of tools")
    return []
  }
  const names = new Set<string>()
  return sent.flatMap((tool: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isObject(tool)) {
      complain(at, "expected an object with name, description and input_schema")
      return []
    }
    const { description = null, input_schema: inputSchema, name } = tool
    if (typeof name !== "string" || name === "") complain(`${at}.name`, "expected the server's name of the tool")
    else if (names.has(name)) complain(`${at}.name`, "expected a name that no other tool has")
    if (description !== null && typeof description !== "string") complain(`${at}.description`, "expected a text")
    if (!isObject(inputSchema)) complain(`${at}.input_schema`, "expected a JSON Schema")
    if (typeof name !== "string" || !isObject(inputSchema)) return []
    names.add(name)
    return [{ name, description: typeof description === "string" ? description : undefined, inputSchema }]
  })
}
