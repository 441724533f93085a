import { isObject } from "../../contract/json/json.ts"
import { askedServers } from "../../pipeline/askedServers.ts"
import type { AskedServers } from "../../pipeline/TextFamily.ts"
import type { AnyRequest } from "../Request.ts"
import { mcpServers, serverWords } from "./mcpServers.ts"
import { isToolset } from "./toolsets.ts"

/** The MCP servers of a request; undefined if it names none. */
export const serversOf = (
  { tool_choice: choice, tools }: Pick<AnyRequest, "tool_choice" | "tools">,
  body: unknown,
  betas: string
): AskedServers | undefined => {
  const sent = (isObject(body) ? body["mcp_servers"] : undefined) ?? undefined
  const isEmpty = sent === undefined || (Array.isArray(sent) && sent.length === 0)
  if (isEmpty && tools?.some(isToolset) !== true) return undefined
  return askedServers(
    (complain) => {
      if (!isEmpty && !Array.isArray(sent)) complain("mcp_servers", "expected a list of servers")
      if (choice?.type === "tool" && choice.name === "mcp_toolset") {
        complain("tool_choice.name", "tools of servers can't be chosen by name")
      }
      return mcpServers(body, betas, complain)
    },
    { mostCalls: undefined, words: serverWords }
  )
}
