import { objectAt } from "../contract/json/json.ts"
import { lossesOf } from "../dispatch/requestFates.ts"
import { noToolLeft, unknownFields } from "../dispatch/unsupported.ts"
import type { Unsupported } from "../dispatch/unsupported.ts"
import { isHostedBlock } from "./Blocks.ts"
import type { ContentBlock } from "./Blocks.ts"
import { fates } from "./fates.ts"
import { defersTools, isToolSearch, isToolset } from "./mcp/toolsets.ts"
import type { AnyRequest } from "./Request.ts"
import type { ToolChange } from "./offeredTools.ts"
import { toolName } from "./toolName.ts"
import { isHosted } from "./Tools.ts"
import type { Tool } from "./Tools.ts"

/** The parts of a request that several checks read, computed once. */
export interface RequestParts {
  readonly blocks: ReadonlyArray<ContentBlock>
  /** The blocks that only an upstream with tools of its own understands. */
  readonly hosted: ReadonlyArray<ContentBlock>
  readonly toolChanges: ReadonlyArray<ToolChange>
  /** The tools that the model may use now. */
  readonly offered: ReadonlyArray<Tool>
  /** True if the request names MCP servers. */
  readonly hasServers: boolean
}

/** The parts of a request that its conversation cannot express. Every request is checked, and most have none. */
export const unsupportedParts = (
  request: AnyRequest,
  body: unknown,
  { blocks, hosted, offered }: RequestParts,
  runsServers = false
): ReadonlyArray<Unsupported> => {
  const found = unknownFields(body, runsServers ? knownWithServers : known)
  const defers = runsServers && defersTools(body)
  const isServed = (tool: unknown) => runsServers && (isToolset(tool) || (defers && isToolSearch(tool)))
  if (request.output_config !== undefined) {
    found.push(...unknownFields(objectAt(body, "output_config"), knownOfOutput, "output_config."))
  }
  for (const [index, tool] of offered.entries()) {
    if (!isServed(tool)) found.push(...hostedTool(request, tool, index))
  }
  const dropped = offered.filter((tool) => isHosted(tool) && !isServed(tool))
  if (dropped.length > 0 && dropped.length === offered.length && request.tool_choice?.type !== "none") {
    found.push(noToolLeft(dropped.map(({ type }) => type ?? "")))
  }
  // Results of such tools in earlier answers.
  for (const { type } of hosted) found.push({ param: `content.${type}` })
  if (request.tools !== undefined) {
    for (const tool of toolsOf(body)) {
      if (!isServed(tool)) found.push(...unknownFields(tool, knownOfTools, "tools[]."))
    }
  }
  if (offered.some((tool) => isHosted(tool) && isMarked(tool)) || blocks.some(isMarkedAlone))
    found.push({ param: "cache_control" })
  if (blocks.some(wantsCitations)) found.push({ param: "citations" })
  for (const { field, isAsked, unsupported } of losses) {
    if (request[field] !== undefined && isAsked(request, body)) found.push(unsupported)
  }
  return found
}

/** A tool that Anthropic runs is dropped, unless the model has to use one. */
const hostedTool = (request: AnyRequest, tool: Tool, index: number): ReadonlyArray<Unsupported> => {
  if (!isHosted(tool)) return none
  const refusal = `tools[${index}].type: this model's upstream does not run ${tool.type}`
  return [{ param: `tools.${tool.type}`, ...(isForced(request, tool) ? { refusal } : {}) }]
}

const isForced = ({ tool_choice: choice, tools }: AnyRequest, tool: Tool): boolean =>
  choice?.type === "tool" ? choice.name === toolName(tool) : choice?.type === "any" && (tools ?? []).every(isHosted)

const none: ReadonlyArray<never> = []

const losses = lossesOf(fates)
const known = new Set(Object.keys(fates))
const knownWithServers = new Set([...known, "mcp_servers"])
/** The fields of all kinds of tools. */
const knownOfTools = new Set(
  (
    "type name description input_schema strict cache_control max_uses allowed_domains blocked_domains user_location " +
    "display_width_px display_height_px display_number max_characters " +
    // The model gets every tool at once.
    "defer_loading"
  ).split(" ")
)

const knownOfOutput = new Set(["effort", "format"])

const toolsOf = (body: unknown): ReadonlyArray<unknown> =>
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools) ? body.tools : none

const isMarked = (marked: object): boolean => "cache_control" in marked && isSet(marked.cache_control)

/** True for a cache mark of a block that is no item or part by itself. The upstream's protocol names the others. */
const isMarkedAlone = (block: ContentBlock): boolean =>
  (isHostedBlock(block) || withoutItem.has(block.type)) && isMarked(block)

const withoutItem: ReadonlySet<string> = new Set([
  "server_tool_use",
  "web_search_tool_result",
  "tool_addition",
  "tool_removal"
])

const wantsCitations = (block: ContentBlock): boolean =>
  (block.type === "document" || block.type === "search_result") && block.citations?.enabled === true

const isSet = (value: unknown): boolean => value !== undefined && value !== null
