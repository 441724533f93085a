import { withoutEntrusted } from "../../contract/callers/entrusted.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt } from "../../contract/json/json.ts"

const told = ["server_label", "server_url", "server_description", "allowed_tools", "require_approval"] as const

/** The servers of a request for the response object, without their tokens and headers, and of an address its origin. */
export const mcpEchoes = (body: unknown): ReadonlyArray<JsonObject> =>
  withoutEntrusted(listAt(body, "tools")).flatMap((tool) => {
    if (!isObject(tool) || tool["type"] !== "mcp") return []
    const fields = told.flatMap((name) => (tool[name] === undefined ? [] : [[name, tool[name]] as const]))
    return [{ type: "mcp", ...Object.fromEntries(fields), headers: null }]
  })
