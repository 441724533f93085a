import { isObject, listAt, objectAt, textAt } from "../../contract/json/json.ts"
import { shorten } from "../../contract/text/shorten.ts"
import type { McpServerRequest, PinnedTool } from "../../generation/McpServerRequest.ts"
import type { Complain } from "../../pipeline/askedServers.ts"
import { pinnedTools } from "./pinnedTools.ts"

/** How a server's tools are offered. */
export type Offer = McpServerRequest["offer"]

/** A server's toolset. */
export interface Toolset {
  readonly offer: Offer
  /** Its own list. */
  readonly pinned: ReadonlyArray<PinnedTool> | undefined
}

/** The most tools that a toolset configures. */
const mostConfigs = 1_024

/** True for the tools of a server. */
export const isToolset = (tool: unknown): boolean => textAt(tool, "type") === "mcp_toolset"

/** True for the search for tools that the model was not shown. */
export const isToolSearch = (tool: unknown): boolean => textAt(tool, "type")?.startsWith("tool_search_tool_") === true

/** True if a request has a toolset of which tools are looked for. */
export const defersTools = (body: unknown): boolean =>
  listAt(body, "tools").some(
    (tool) =>
      isObject(tool) &&
      isToolset(tool) &&
      [tool["default_config"], ...Object.values(objectAt(tool, "configs") ?? {})].some(
        (config) => isObject(config) && config["defer_loading"] === true
      )
  )

/**
 * The choices of a request's toolsets, by their servers. Each server has one toolset.
 *
 * @param names those of the request's servers
 * @param pinBeta the missing beta of lists; undefined if they are allowed
 */
export const toolsetsOf = (
  body: unknown,
  names: ReadonlySet<string>,
  complain: Complain,
  pinBeta: string | undefined
): ReadonlyMap<string, Toolset> => {
  const found = new Map<string, Toolset>()
  const searches = listAt(body, "tools").some(isToolSearch)
  for (const [index, tool] of listAt(body, "tools").entries()) {
    if (!isObject(tool) || !isToolset(tool)) continue
    const path = `tools[${index}]`
    const name = textAt(tool, "mcp_server_name") ?? ""
    if (!names.has(name)) complain(`${path}.mcp_server_name`, "expected the name of one of mcp_servers")
    else if (found.has(name)) complain(`${path}.mcp_server_name`, "expected one mcp_toolset for each server")
    const { tools: list = null } = tool
    if (list !== null && pinBeta !== undefined)
      complain(`${path}.tools`, `needs ${pinBeta} in the header anthropic-beta`)
    found.set(name, {
      offer: offerOf(tool["default_config"], tool["configs"], searches, path, complain),
      pinned: list === null ? undefined : pinnedTools(list, `${path}.tools`, complain)
    })
  }
  return found
}

const offerOf = (usual: unknown, configs: unknown, mayDefer: boolean, path: string, complain: Complain): Offer => {
  const standard = configOf(usual, `${path}.default_config`, complain)
  const own = new Map<string, Config>()
  const entries = isObject(configs) ? Object.entries(configs) : []
  if ((configs ?? undefined) !== undefined && (!isObject(configs) || entries.length > mostConfigs)) {
    complain(`${path}.configs`, `expected an object of at most ${mostConfigs} tools`)
  } else {
    for (const [name, config] of entries) {
      own.set(name, configOf(config, `${path}.configs.${shorten(name)}`, complain))
    }
  }
  return ({ name }) => {
    const config = own.get(name)
    return (config?.enabled ?? standard.enabled ?? true)
      ? { isDeferred: mayDefer && (config?.defers ?? standard.defers ?? false), needsApproval: false }
      : undefined
  }
}

interface Config {
  readonly enabled: boolean | undefined
  readonly defers: boolean | undefined
}

const configOf = (config: unknown, path: string, complain: Complain): Config => {
  if ((config ?? undefined) !== undefined && !isObject(config)) {
    complain(path, "expected an object with enabled and defer_loading")
  }
  const flag = (name: string): boolean | undefined => {
    const value = isObject(config) ? (config[name] ?? undefined) : undefined
    if (typeof value === "boolean") return value
    if (value !== undefined) complain(`${path}.${name}`, "expected true or false")
    return undefined
  }
  return { enabled: flag("enabled"), defers: flag("defer_loading") }
}
