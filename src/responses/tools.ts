import type { CustomTool, SearchTool, Tool, ToolChoice } from "../generation/Conversation.ts"
import { isToolName, toolNameRule } from "../generation/toolName.ts"
import { wrongPlace } from "../generation/userLocation.ts"
import { clientToolOf, offer } from "./clientTools/clientTools.ts"
import type { ClientTools, NameOf } from "./clientTools/clientTools.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { isSearchEntry } from "./ToolEntry.ts"
import type { ChosenTool, CustomEntry, FunctionEntry, ToolEntry, WebSearchEntry } from "./ToolEntry.ts"
import type { Complain } from "./parts.ts"
import { shorten } from "../contract/text/shorten.ts"

/** A request's tools for the conversation, with the names to translate back. */
export interface Toolbox {
  readonly tools: ReadonlyArray<Tool>
  readonly choice: ToolChoice
  /** The callers' names of a namespace's tools, by the flat name that the model sees. */
  readonly namespaced: ReadonlyMap<string, { readonly namespace: string; readonly name: string }>
  /** The dialect's tools that the caller runs, by the model's names for them. */
  readonly clientTools: ClientTools
  /** The model's name for the tool of a call, offered or not. */
  readonly nameOf: NameOf
}

type Request = Pick<CreateResponse, "tool_choice" | "max_tool_calls">

/** A list of tools with its path in the request. */
export interface ToolList {
  readonly path: string
  readonly entries: ReadonlyArray<ToolEntry>
}

/**
 * The name of a namespaced tool for the model. Upstreams accept letters, digits, `_` and `-` in names. Clients get name
 * and namespace back in separate fields.
 */
export const flatName = (name: string, namespace: string | null | undefined): string =>
  namespace ? `${namespace}__${name}` : name

/**
 * @param lists the request's `tools`, then those that its conversation adds; a later tool replaces one of the same name
 */
export const toolbox = (request: Request, lists: ReadonlyArray<ToolList>, complain: Complain): Toolbox => {
  const found = new Map<string, Tool>()
  const namespaced = new Map<string, { namespace: string; name: string }>()
  const add = (tool: Tool) => found.set(tool.type === "search" ? webSearch : tool.name, tool)
  for (const { entries, path } of lists) {
    for (const [index, entry] of entries.entries()) {
      const at = `${path}[${index}]`
      if (entry.type === "function" || entry.type === "custom") {
        checkName(entry.name, `${at}.name`, complain)
        add(toolOf(entry, entry.name))
      } else if (entry.type === "namespace") {
        checkName(entry.name, `${at}.name`, complain)
        for (const [place, member] of entry.tools.entries()) {
          checkName(member.name, `${at}.tools[${place}].name`, complain)
          const name = flatName(member.name, entry.name)
          namespaced.set(name, { namespace: entry.name, name: member.name })
          add(toolOf(member, name))
        }
      } else if (isSearchEntry(entry) && !found.has(webSearch)) {
        // A model can have one search tool.
        add(search(entry, request.max_tool_calls ?? undefined, at, complain))
      }
    }
  }
  const {
    byName: clientTools,
    functions,
    nameOf
  } = offer(
    lists.flatMap(({ entries }) => entries),
    (name) => found.has(name)
  )
  const hasServers = lists.some(({ entries }) => entries.some(({ type }) => type === "mcp"))
  const offered: Offered = { tools: [...found.values(), ...functions], namespaced, clientTools, nameOf, hasServers }
  const [allowed, choice] = choose(request.tool_choice ?? "auto", offered, complain)
  return { tools: allowed, choice, namespaced, clientTools, nameOf }
}

/** Not a possible tool's name. */
const webSearch = ""

const checkName = (name: string, at: string, complain: Complain): void => {
  if (!isToolName(name)) complain(at, `${toolNameRule}; got ${JSON.stringify(name.slice(0, 80))}`)
}

const toolOf = (entry: FunctionEntry | CustomEntry, name: string): Tool =>
  entry.type === "custom"
    ? { type: "custom", name, description: entry.description ?? undefined, ...grammar(entry) }
    : {
        type: "function",
        name,
        description: entry.description ?? undefined,
        parameters: entry.parameters ?? { type: "object", properties: {} },
        strict: entry.strict ?? undefined
      }

const grammar = ({ format }: CustomEntry): Pick<CustomTool, "grammar"> => {
  const { definition, syntax } = format ?? {}
  return typeof definition === "string" && typeof syntax === "string" ? { grammar: { syntax, definition } } : {}
}

const search = (entry: WebSearchEntry, maxUses: number | undefined, path: string, complain: Complain): SearchTool => {
  const filters = entry.filters ?? entry.filter
  const where = `${path}.${entry.filters ? "filters" : "filter"}`
  const allowed = domains(filters?.allowed_domains, `${where}.allowed_domains`, complain)
  const blocked = domains(filters?.blocked_domains, `${where}.blocked_domains`, complain)
  if (allowed !== undefined && blocked !== undefined) {
    complain(`${where}.blocked_domains`, "cannot be combined with allowed_domains")
  }
  const place = entry.user_location
  const wrong = wrongPlace(place ?? {})
  if (wrong !== undefined) complain(`${path}.user_location.${wrong.field}`, wrong.rule)
  return {
    type: "search",
    name: "web_search",
    allowedDomains: allowed,
    blockedDomains: blocked,
    maxUses,
    contextSize: entry.search_context_size ?? "medium",
    location: place
      ? {
          city: place.city ?? undefined,
          region: place.region ?? undefined,
          country: place.country ?? undefined,
          timezone: place.timezone ?? undefined
        }
      : undefined
  }
}

const domains = (list: ReadonlyArray<string> | null | undefined, path: string, complain: Complain) => {
  if (!list || list.length === 0) return undefined
  for (const [index, domain] of list.entries()) {
    if (!/^[^\s/:?#@]+(\/[^\s?#]*)?$/.test(domain)) {
      complain(`${path}[${index}]`, `expected a domain without scheme, such as example.com; got "${shorten(domain)}"`)
    }
  }
  return list
}

/** Tools of servers are listed later. */
type Offered = Omit<Toolbox, "choice"> & { readonly hasServers: boolean }

const choose = (
  choice: "none" | "auto" | "required" | ChosenTool,
  offered: Offered,
  complain: Complain
): readonly [ReadonlyArray<Tool>, ToolChoice] => {
  const { hasServers, tools } = offered
  switch (choice) {
    case "none":
    case "auto":
      return [tools, { type: choice }]
    case "required":
      if (tools.length === 0 && !hasServers) complain("tool_choice", "required needs at least one tool in tools")
      return [tools, { type: "required", names: undefined }]
  }
  switch (choice.type) {
    case "function":
    case "custom": {
      const name = naming(offered)(choice)
      if (name === undefined)
        complain("tool_choice.name", `expected the name of a tool in tools; got "${shorten(choice.name ?? "")}"`)
      return [tools, { type: "tool", name: name ?? choice.name }]
    }
    case "allowed_tools":
      return allow(choice, offered, complain)
    default: {
      const client = clientName(offered, choice.type)
      if (client !== undefined) return [tools, { type: "tool", name: client }]
      // A tool that the upstream runs only exists in its own dialect (`unsupported.ts`).
      if (!choice.type.startsWith("web_search")) return [tools, { type: "auto" }]
      if (!tools.some((tool) => tool.type === "search")) {
        complain("tool_choice.type", `${choice.type} needs a web search tool in tools`)
      }
      return [tools, { type: "tool", name: "web_search" }]
    }
  }
}

/** The model's name for a type of tool that the caller runs, if it is offered. */
const clientName = ({ clientTools, nameOf }: Offered, type: string): string | undefined => {
  const tool = clientToolOf(type)
  const name = tool === undefined ? undefined : nameOf(tool.call)
  return name !== undefined && clientTools.has(name) ? name : undefined
}

type Allowed = Extract<ChosenTool, { readonly type: "allowed_tools" }>

const allow = (choice: Allowed, offered: Offered, complain: Complain): readonly [ReadonlyArray<Tool>, ToolChoice] => {
  const { tools } = offered
  const named = naming(offered)
  const names = choice.tools.flatMap((tool, index) => {
    if (tool.type === "mcp") return []
    if (tool.type.startsWith("web_search")) return ["web_search"]
    const client = clientName(offered, tool.type)
    if (client !== undefined) return [client]
    const name = named(tool)
    if (name === undefined && (tool.type === "function" || tool.type === "custom")) {
      complain(
        `tool_choice.tools[${index}].name`,
        `expected the name of a tool in tools; got "${shorten(tool.name ?? "")}"`
      )
    }
    return name === undefined ? [] : [name]
  })
  // A free choice among some tools is made by sending only those.
  if (choice.mode !== "auto") return [tools, { type: "required", names }]
  const chosen = new Set(names)
  return [tools.filter((tool) => chosen.has(tool.name)), { type: "auto" }]
}

interface Meant {
  readonly name?: string | null | undefined
  readonly namespace?: string | null | undefined
}

/** The flat name of the chosen tool. A namespaced tool may be chosen with its namespace or, if unambiguous, without. */
const naming = ({
  namespaced,
  tools
}: Pick<Offered, "namespaced" | "tools">): ((tool: Meant) => string | undefined) => {
  const flatNames = new Set(tools.map(({ name }) => name))
  /** Of two tools with the same name, the first one counts. */
  const loose = new Map<string, string>()
  for (const [flat, { name, namespace }] of namespaced) {
    for (const spelling of [name, `${namespace}.${name}`]) if (!loose.has(spelling)) loose.set(spelling, flat)
  }
  return ({ name, namespace }) => {
    if (!name) return undefined
    const flat = flatName(name, namespace)
    return flatNames.has(flat) ? flat : loose.get(name)
  }
}
