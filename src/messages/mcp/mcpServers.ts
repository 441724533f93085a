import { Redacted } from "effect"
import { isObject, listAt } from "../../contract/json/json.ts"
import { shorten } from "../../contract/text/shorten.ts"
import { toolNames, wrongServerAddress, wrongToken } from "../../generation/mcpFields.ts"
import { mostServers } from "../../generation/McpServerRequest.ts"
import type { McpServerRequest, ServerWords } from "../../generation/McpServerRequest.ts"
import type { Complain } from "../../pipeline/askedServers.ts"
import type { AnyRequest } from "../Request.ts"
import { listingBeta } from "./listingBeta.ts"
import { serverHistory } from "./serverHistory.ts"
import type { ServerHistory } from "./serverHistory.ts"
import { isToolset, toolsetsOf } from "./toolsets.ts"
import type { Offer } from "./toolsets.ts"

const longestName = 64

/** The first is the one that refusals name. Before toolsets, each server had its own `tool_configuration`. */
const toolsetBetas = ["mcp-client-2025-11-20", listingBeta] as const
const configurationBeta = "mcp-client-2025-04-04"

/** Anthropic's words for a refused token, and OpenAI's for a missing list, with the reason. */
export const serverWords: ServerWords = {
  labelField: "name",
  urlField: "url",
  tokenField: "authorization_token",
  filterField: "configs or allowed_tools",
  unlisted: (label, { reason, status }) =>
    status === 401 || status === 403
      ? `Invalid authorization token for MCP server '${shorten(label)}'. Please check your token and try again.`
      : `Error retrieving tool list from MCP server '${shorten(label)}': ${reason}`
}

/** The servers of a request, with what its conversation says of them. */
export interface MessageServers {
  readonly servers: ReadonlyArray<McpServerRequest>
  /** True if the caller is shown the lists of the servers that are asked. */
  readonly areListed: boolean
  /** The first change of tools that does not fit those of the servers. */
  readonly mistake: ServerHistory["mistake"]
}

interface Sent extends Pick<AnyRequest, "messages"> {
  readonly body: unknown
  /** The header `anthropic-beta`. */
  readonly betas: string
}

/** The MCP servers of a request, as it was sent. */
export const mcpServers = ({ betas, body, messages }: Sent, complain: Complain): MessageServers => {
  const entries = listAt(body, "mcp_servers")
  const named = new Set(betas.split(",").map((beta) => beta.trim()))
  const hasToolsets = toolsetBetas.some((beta) => named.has(beta))
  if (!hasToolsets && !named.has(configurationBeta)) {
    complain("mcp_servers", `needs ${toolsetBetas[0]} in the header anthropic-beta`)
    return alone([])
  }
  if (entries.length > mostServers) {
    complain("mcp_servers", `expected at most ${mostServers} servers`)
    return alone([])
  }
  const labels = new Set<string>()
  const servers = entries.map((entry, index) => {
    const server = serverOf(entry, `mcp_servers[${index}]`, complain)
    if (labels.has(server.label)) complain(`${server.param}.name`, "expected a name that no other server has")
    labels.add(server.label)
    return server
  })
  const areListed = named.has(listingBeta)
  const history = areListed ? serverHistory(messages, labels, complain) : undefined
  if (!hasToolsets) return alone(byConfigurations(servers, body, complain))
  const toolsets = toolsetsOf(body, labels, complain, areListed ? undefined : listingBeta)
  const all = servers.map(({ configuration, ...server }): McpServerRequest => {
    const { label, param } = server
    if (configuration !== undefined) {
      complain(`${param}.tool_configuration`, `is of ${configurationBeta}; use configs of the server's mcp_toolset`)
    }
    const toolset = toolsets.get(label)
    if (toolset === undefined) complain(`${param}.name`, "expected one mcp_toolset in tools with this mcp_server_name")
    const { offer = none, pinned = history?.listings.get(label) } = toolset ?? {}
    return { ...server, offer: history === undefined ? offer : changed(offer, label, history), pinned }
  })
  return { servers: all, areListed, mistake: (tools) => history?.mistake(tools) }
}

const alone = (servers: ReadonlyArray<McpServerRequest>): MessageServers => ({
  servers,
  areListed: false,
  mistake: () => undefined
})

/** The choice of a toolset, and of the conversation after it. A tool that it adds need not be looked for. */
const changed =
  (offer: Offer, server: string, { changeOf }: ServerHistory): Offer =>
  (tool) => {
    const offered = offer(tool)
    const change = offered && changeOf(server, tool.name)
    if (offered === undefined || change === undefined) return offered
    return change === "added" ? { ...offered, isDeferred: false } : { ...offered, isWithdrawn: true }
  }

interface Named extends Omit<McpServerRequest, "offer"> {
  /** Its `tool_configuration`. */
  readonly configuration: unknown
}

const serverOf = (sent: unknown, param: string, complain: Complain): Named => {
  const wrong = (field: string, rule: string | undefined) => {
    if (rule !== undefined) complain(`${param}.${field}`, rule)
  }
  if (!isObject(sent)) complain(param, "expected an object")
  const {
    authorization_token: token = null,
    name,
    tool_configuration: configuration = null,
    type,
    url
  } = isObject(sent) ? sent : {}
  if (type !== "url") wrong("type", 'expected "url"')
  if (typeof name !== "string" || name === "" || name.length > longestName) {
    wrong("name", `expected a name of 1 to ${longestName} characters`)
  }
  wrong("url", wrongServerAddress(url))
  if (token !== null) wrong("authorization_token", wrongToken(token))
  return {
    label: typeof name === "string" ? name : "",
    url: typeof url === "string" ? url : "",
    token: typeof token === "string" ? Redacted.make(token) : undefined,
    headers: Redacted.make({}),
    description: undefined,
    param,
    pinned: undefined,
    configuration: configuration ?? undefined
  }
}

const none: Offer = () => undefined
const atOnce = { isDeferred: false, needsApproval: false }
const all: Offer = () => atOnce

/** The servers that are on. */
const byConfigurations = (
  servers: ReadonlyArray<Named>,
  body: unknown,
  complain: Complain
): ReadonlyArray<McpServerRequest> => {
  const toolset = listAt(body, "tools").findIndex(isToolset)
  if (toolset >= 0) complain(`tools[${toolset}].type`, `needs ${toolsetBetas[0]} in the header anthropic-beta`)
  return servers.flatMap(({ configuration, ...server }) => {
    const path = `${server.param}.tool_configuration`
    if (configuration === undefined) return [{ ...server, offer: all }]
    if (!isObject(configuration)) {
      complain(path, "expected an object with enabled and allowed_tools")
      return []
    }
    const { allowed_tools: names = null, enabled = null } = configuration
    if (enabled !== null && typeof enabled !== "boolean") complain(`${path}.enabled`, "expected true or false")
    if (enabled === false) return []
    const allowed = names === null ? undefined : toolNames(names)
    if (typeof allowed === "string") complain(`${path}.allowed_tools`, allowed)
    const offer: Offer = typeof allowed === "object" ? ({ name }) => (allowed.has(name) ? atOnce : undefined) : all
    return [{ ...server, offer }]
  })
}
