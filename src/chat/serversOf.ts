import { isObject, listAt } from "../contract/json/json.ts"
import { askedServers } from "../pipeline/askedServers.ts"
import { mcpServers, serverWords } from "../pipeline/mcpEntries.ts"
import type { AskedServers } from "../pipeline/TextFamily.ts"
import type { CreateCompletion } from "./Request.ts"

/** True for a server of `tools`, in the form of responses: this dialect has none of its own. */
export const isServer = ({ type }: { readonly type: string }): boolean => type === "mcp"

/** The MCP servers of a request; undefined if it names none. */
export const serversOf = ({ n, tools }: CreateCompletion, body: unknown): AskedServers | undefined => {
  if (tools?.some(isServer) !== true) return undefined
  return askedServers(
    (complain) => {
      if ((n ?? 1) > 1) complain("n", "one answer alone is made with tools of servers, which each would call")
      for (const [index, tool] of listAt(body, "tools").entries()) {
        if (isObject(tool) && tool["type"] === "mcp" && tool["require_approval"] !== "never") {
          complain(`tools[${index}].require_approval`, 'expected "never": a completion has nothing to ask with')
        }
      }
      return mcpServers(body, complain)
    },
    { mostCalls: undefined, words: serverWords }
  )
}
