import { Redacted } from "effect"
import { isObject, listAt } from "../../contract/json/json.ts"
import { shorten } from "../../contract/text/shorten.ts"
import { toolNames, wrongServerAddress, wrongToken } from "../../generation/mcpFields.ts"
import { mostServers } from "../../generation/McpServerRequest.ts"
import type { McpServerRequest, ServerWords } from "../../generation/McpServerRequest.ts"
import type { Complain } from "../../pipeline/askedServers.ts"
import { isToolset, toolsetsOf } from "./toolsets.ts"
import type { Offer } from "./toolsets.ts"

const longestName = 64

/** The first is the one that refusals name. Before toolsets, each server had its own `tool_configuration`. */
const toolsetBetas = ["mcp-client-2025-11-20", "mcp-client-2026-09-15"] as const
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

/**
 * The MCP servers of a request, as it was sent.
 *
 * @param betas the header `anthropic-beta`
 */
export const mcpServers = (body: unknown, betas: string, complain: Complain): ReadonlyArray<McpServerRequest> => {
  const entries = listAt(body, "mcp_servers")
  const named = new Set(betas.split(",").map((beta) => beta.trim()))
  const hasToolsets = toolsetBetas.some((beta) => named.has(beta))
  if (!hasToolsets && !named.has(configurationBeta)) {
    complain("mcp_servers", `needs ${toolsetBetas[0]} in the header anthropic-beta`)
    return []
  }
  if (entries.length > mostServers) {
    complain("mcp_servers", `expected at most ${mostServers} servers`)
    return []
  }
  const labels = new Set<string>()
  const servers = entries.map((entry, index) => {
    const server = serverOf(entry, `mcp_servers[${index}]`, complain)
    if (labels.has(server.label)) complain(`${server.param}.name`, "expected a name that no other server has")
    labels.add(server.label)
    return server
  })
  if (!hasToolsets) return byConfigurations(servers, body, complain)
  const toolsets = toolsetsOf(body, labels, complain)
  return servers.map(({ configuration, ...server }) => {
    const { label, param } = server
    if (configuration !== undefined) {
      complain(`${param}.tool_configuration`, `is of ${configurationBeta}; use configs of the server's mcp_toolset`)
    }
    const offer = toolsets.get(label)
    if (offer === undefined) complain(`${param}.name`, "expected one mcp_toolset in tools with this mcp_server_name")
    return { ...server, offer: offer ?? none }
  })
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
