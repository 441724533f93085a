import { Redacted } from "effect"
import { isObject, listAt, objectAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import { recordOf } from "../contract/json/recordOf.ts"
import { mostServers } from "../generation/McpServerRequest.ts"
import type { ListedTool, McpServerRequest, ServerWords } from "../generation/McpServerRequest.ts"
import { toolNames, wrongHeaders, wrongServerAddress, wrongToken } from "../generation/mcpFields.ts"
import type { Complain } from "./askedServers.ts"

const longestDescription = 4_096

/** OpenAI's words, with the reason. */
export const serverWords: ServerWords = {
  labelField: "server_label",
  urlField: "server_url",
  tokenField: "authorization",
  filterField: "allowed_tools",
  unlisted: (label, { reason }) =>
    `Error retrieving tool list from MCP server: '${label}'. Http status code: 424 (Failed Dependency): ${reason}`
}

/** True if a request has a server whose tools are looked for. */
export const defersServer = (body: unknown): boolean =>
  listAt(body, "tools").some(
    (tool) => textAt(tool, "type") === "mcp" && isObject(tool) && tool["defer_loading"] === true
  )

/** The MCP servers among the tools of a request, as it was sent. */
export const mcpServers = (body: unknown, complain: Complain): ReadonlyArray<McpServerRequest> => {
  const tools = listAt(body, "tools")
  // A search that the caller runs does not know the servers' tools.
  const deferring = tools.some(
    (tool) => textAt(tool, "type") === "tool_search" && textAt(tool, "execution") !== "client"
  )
  const labels = new Set<string>()
  return tools.flatMap((tool, index) => {
    if (!isObject(tool) || tool["type"] !== "mcp") return []
    const path = `tools[${index}]`
    const server = mcpServer(tool, path, deferring, complain)
    if (labels.has(server.label)) complain(`${path}.server_label`, "expected a label that no other server has")
    labels.add(server.label)
    if (labels.size === mostServers + 1) complain(path, `expected at most ${mostServers} servers`)
    return [server]
  })
}

const mcpServer = (entry: JsonObject, path: string, mayDefer: boolean, complain: Complain): McpServerRequest => {
  const wrong = (field: string, rule: string | undefined) => {
    if (rule !== undefined) complain(`${path}.${field}`, rule)
  }
  const given = (field: string): unknown => entry[field] ?? undefined
  const [label, url, token, description] = [
    given("server_label"),
    given("server_url"),
    given("authorization"),
    given("server_description")
  ]
  if (typeof label !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(label)) {
    wrong("server_label", "expected 1 to 64 letters, digits, _ and -")
  }
  for (const field of ["connector_id", "tunnel_id"]) {
    if (given(field) !== undefined) wrong(field, "is of the upstream's own servers, which this model's does not have")
  }
  if (url !== undefined) wrong("server_url", wrongServerAddress(url))
  if (token !== undefined) wrong("authorization", wrongToken(token))
  if (description !== undefined && (typeof description !== "string" || description.length > longestDescription)) {
    wrong("server_description", `expected a text of at most ${longestDescription} characters`)
  }
  const callers = given("allowed_callers")
  if (callers !== undefined && !(Array.isArray(callers) && callers.includes("direct"))) {
    wrong("allowed_callers", 'expected a list with "direct"')
  }
  const defers = given("defer_loading")
  if (defers !== undefined && typeof defers !== "boolean") wrong("defer_loading", "expected true or false")
  const allows = filterOf(given("allowed_tools"), `${path}.allowed_tools`, complain)
  const asks = approvalOf(given("require_approval"), `${path}.require_approval`, complain)
  return {
    label: typeof label === "string" ? label : "",
    url: typeof url === "string" ? url : undefined,
    isUpstreams: ["connector_id", "tunnel_id"].some((field) => given(field) !== undefined),
    token: typeof token === "string" ? Redacted.make(token) : undefined,
    headers: headersOf(given("headers"), token, `${path}.headers`, complain),
    description: typeof description === "string" ? description : undefined,
    param: path,
    offer: (tool) =>
      allows(tool) ? { isDeferred: mayDefer && defers === true, needsApproval: asks(tool) } : undefined,
    pinned: undefined
  }
}

const headersOf = (headers: unknown, token: unknown, path: string, complain: Complain): McpServerRequest["headers"] => {
  if (headers !== undefined && !isObject(headers)) complain(path, "expected an object of texts")
  const sent = isObject(headers) ? headers : {}
  const wrong = wrongHeaders(sent, token !== undefined)
  if (wrong !== undefined) complain(wrong.name === "" ? path : `${path}.${wrong.name}`, wrong.rule)
  const texts = Object.entries(sent).flatMap(([name, value]) =>
    typeof value === "string" ? [[name.toLowerCase(), value] as const] : []
  )
  return Redacted.make(recordOf<Record<string, string>>(texts))
}

type Filter = (tool: ListedTool) => boolean

const all: Filter = () => true

/** A list of names, or names and a wish for tools that only read: both must match. */
const filterOf = (filter: unknown, path: string, complain: Complain): Filter => {
  if (filter === undefined) return all
  if (Array.isArray(filter)) return namesOf(filter, path, complain)
  if (!isObject(filter)) {
    complain(path, "expected a list of names, or an object with tool_names and read_only")
    return all
  }
  const { read_only: readOnly = null, tool_names: names = null } = filter
  if (readOnly !== null && typeof readOnly !== "boolean") complain(`${path}.read_only`, "expected true or false")
  const named = names === null ? all : namesOf(names, `${path}.tool_names`, complain)
  return (tool) => named(tool) && (typeof readOnly !== "boolean" || tool.isReadOnly === readOnly)
}

const namesOf = (names: unknown, path: string, complain: Complain): Filter => {
  const allowed = toolNames(names)
  if (typeof allowed === "string") {
    complain(path, allowed)
    return all
  }
  return ({ name }) => allowed.has(name)
}

/** Tells if calls of a tool need the caller's approval, which they do unless the request says otherwise. */
const approvalOf = (rule: unknown, path: string, complain: Complain): Filter => {
  if (rule === undefined || rule === "always") return all
  if (rule === "never") return () => false
  const [always, never] = [objectAt(rule, "always"), objectAt(rule, "never")]
  if (!isObject(rule) || (always === undefined && never === undefined)) {
    complain(path, 'expected "always", "never" or an object with filters of tools')
    return all
  }
  const isAlways = always === undefined ? undefined : filterOf(always, `${path}.always`, complain)
  const isNever = never === undefined ? undefined : filterOf(never, `${path}.never`, complain)
  return (tool) => {
    if (isAlways?.(tool) === true) return true
    return isNever === undefined ? false : !isNever(tool)
  }
}
