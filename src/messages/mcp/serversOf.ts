import { isObject } from "../../contract/json/json.ts"
import { askedServers } from "../../pipeline/askedServers.ts"
import type { AskedServers } from "../../pipeline/TextFamily.ts"
import type { AnyRequest } from "../Request.ts"
import { mcpServers, serverWords } from "./mcpServers.ts"
import type { MessageServers } from "./mcpServers.ts"
import { isToolset } from "./toolsets.ts"

/** The MCP servers of a request; undefined if it names none. */
export const serversOf = (
  { messages, tool_choice: choice, tools }: Pick<AnyRequest, "messages" | "tool_choice" | "tools">,
  body: unknown,
  betas: string
): AskedServers | undefined => {
  const sent = (isObject(body) ? body["mcp_servers"] : undefined) ?? undefined
  const isEmpty = sent === undefined || (Array.isArray(sent) && sent.length === 0)
  if (isEmpty && tools?.some(isToolset) !== true) return undefined
  let read: MessageServers | undefined
  return askedServers(
    (complain) => {
      if (!isEmpty && !Array.isArray(sent)) complain("mcp_servers", "expected a list of servers")
      if (choice?.type === "tool" && choice.name === "mcp_toolset") {
        complain("tool_choice.name", "tools of servers can't be chosen by name")
      }
      read = mcpServers({ body, betas, messages }, complain)
      return read.servers
    },
    {
      mostCalls: undefined,
      words: serverWords,
      isShown: (label) => read?.areListed !== true || read.servers.some((one) => one.label === label && one.pinned),
      mistake: (known) => read?.mistake(known)
    }
  )
}
