import { Unknown } from "../contract/Unknown.ts"
import { markOf } from "../generation/cacheMarks.ts"
import type { CustomTool, FunctionTool, SearchTool, Tool, ToolChoice } from "../generation/Conversation.ts"
import { isToolName, toolNameRule } from "../generation/toolName.ts"
import { wrongPlace } from "../generation/userLocation.ts"
import type { Complain } from "./messages.ts"
import { isServer } from "./serversOf.ts"
import type { CreateCompletion } from "./Request.ts"
import type * as Wire from "./Tools.ts"

/** The tools and the tool choice of a request. */
export interface Toolbox {
  readonly tools: ReadonlyArray<Tool>
  readonly choice: ToolChoice
  readonly isParallel: boolean
  /** True if the caller uses `functions`: one call at a time, answered in the same form. */
  readonly isLegacy: boolean
}

export const toolbox = (request: CreateCompletion, complain: Complain): Toolbox => {
  const functions = request.functions ?? []
  const isLegacy = functions.length > 0
  if (isLegacy && (request.tools ?? []).length > 0) complain("functions", "can't be sent together with tools")
  const called = isLegacy ? functions.map(functionTool) : (request.tools ?? []).flatMap(toolOf)
  checkNames(called, isLegacy, complain)
  const searching = request.web_search_options ?? undefined
  const tools = searching === undefined ? called : [...called, searchTool(searching, complain)]
  const choice = isLegacy ? legacyChoice(request) : choiceOf(request.tool_choice ?? "auto")
  const asks = isLegacy ? "function_call" : "tool_choice"
  const names = new Set(called.map(({ name }) => name))
  for (const name of namesIn(choice)) {
    if (!names.has(name)) complain(asks, `no tool is called ${JSON.stringify(name.slice(0, longestShown))}`)
  }
  const hasServers = request.tools?.some(isServer) === true
  if (choice.type === "required" && tools.length === 0 && !hasServers)
    complain(asks, "required needs at least one tool in tools")
  return {
    tools: allowed(request.tool_choice ?? undefined, tools),
    choice,
    isParallel: !isLegacy && (request.parallel_tool_calls ?? true),
    isLegacy
  }
}

/** The maximum length of a tool's name. The one in `tool_choice` may be longer, and is cut in messages. */
const longestShown = 128

const toolOf = (tool: Wire.Tool): ReadonlyArray<FunctionTool | CustomTool> => {
  if (tool instanceof Unknown) return []
  const mark = "cache_control" in tool ? markOf(tool.cache_control) : {}
  if ("function" in tool) return [{ ...functionTool(tool.function), ...mark }]
  if (!("custom" in tool)) return []
  const { description, format, name } = tool.custom
  return [
    {
      type: "custom",
      name,
      description: description ?? undefined,
      ...(format?.type === "grammar" ? { grammar: format.grammar } : {}),
      ...mark
    }
  ]
}

const functionTool = ({ description, name, parameters, strict }: Wire.FunctionDefinition): FunctionTool => ({
  type: "function",
  name,
  description: description ?? undefined,
  parameters: parameters ?? { type: "object", properties: {} },
  strict: strict ?? undefined
})

const checkNames = (tools: ReadonlyArray<Tool>, isLegacy: boolean, complain: Complain): void => {
  const seen = new Set<string>()
  for (const [index, { name, type }] of tools.entries()) {
    const at = isLegacy ? `functions[${index}].name` : `tools[${index}].${type}.name`
    if (!isToolName(name)) complain(at, `${toolNameRule}; got ${JSON.stringify(name.slice(0, 80))}`)
    if (seen.has(name)) complain(at, "another one has this name")
    seen.add(name)
  }
}

const searchTool = (options: NonNullable<CreateCompletion["web_search_options"]>, complain: Complain): SearchTool => {
  const where = options.user_location?.approximate ?? undefined
  const wrong = wrongPlace(where ?? {})
  if (wrong !== undefined) complain(`web_search_options.user_location.approximate.${wrong.field}`, wrong.rule)
  return {
    type: "search",
    name: "web_search",
    allowedDomains: undefined,
    blockedDomains: undefined,
    maxUses: undefined,
    contextSize: options.search_context_size ?? "medium",
    location:
      where === undefined
        ? undefined
        : {
            city: where.city ?? undefined,
            region: where.region ?? undefined,
            country: where.country ?? undefined,
            timezone: where.timezone ?? undefined
          }
  }
}

const choiceOf = (choice: Wire.ToolChoice): ToolChoice => {
  if (typeof choice === "string") {
    return choice === "required" ? { type: "required", names: undefined } : { type: choice }
  }
  if (choice.type !== "allowed_tools") return { type: "tool", name: nameOf(choice) }
  const { mode, tools } = choice.allowed_tools
  return mode === "required" ? { type: "required", names: tools.map(nameOf) } : { type: "auto" }
}

const legacyChoice = ({ function_call: choice }: CreateCompletion): ToolChoice => {
  if (choice === undefined || choice === null) return { type: "auto" }
  return typeof choice === "string" ? { type: choice } : { type: "tool", name: choice.name }
}

type Named = Exclude<Wire.ToolChoice, string | { readonly type: "allowed_tools" }>

const nameOf = (choice: Named): string => (choice.type === "custom" ? choice.custom.name : choice.function.name)

const namesIn = (choice: ToolChoice): ReadonlyArray<string> =>
  choice.type === "tool" ? [choice.name] : choice.type === "required" ? (choice.names ?? []) : []

/** The tools to choose from, if the request allows only some of them. */
const allowed = (choice: Wire.ToolChoice | undefined, tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => {
  if (typeof choice !== "object" || choice.type !== "allowed_tools" || choice.allowed_tools.mode !== "auto")
    return tools
  const names = new Set(choice.allowed_tools.tools.map(nameOf))
  return tools.filter((tool) => tool.type === "search" || names.has(tool.name))
}
