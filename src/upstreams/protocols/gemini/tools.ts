import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, SearchTool, Tool } from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { customDescription, customParameters } from "../back.ts"
import type { Notes } from "../notes.ts"
import { schemaRules } from "../schemas.ts"
import { ToolSchemas } from "../toolSchemas.ts"

/**
 * The tools and the choice among them.
 *
 * @param mixes true if Google's search may stand beside functions
 */
export const toolsOf = (conversation: Conversation, mixes: boolean, back: Back, notes: Notes): JsonObject => {
  const { functions, search } = offered(conversation, mixes, notes)
  const searching = search === undefined ? {} : { googleSearch: googleSearch(search, notes) }
  if (functions.length === 0) return search === undefined ? {} : { tools: [searching] }
  if (!conversation.parallelToolCalls) notes.adapt("parallel_tool_calls")
  const schemas = new ToolSchemas(schemaRules.accepting, true, notes)
  const functionDeclarations = functions.map((tool) => declaration(tool, schemas, back, notes))
  const isStrict = functions.some((tool) => tool.type === "function" && tool.strict === true)
  const functionCallingConfig = calling(conversation, isStrict, back)
  const toolConfig = {
    ...(functionCallingConfig === undefined ? {} : { functionCallingConfig }),
    // It is required with both. Searches then are parts of the answer.
    ...(search === undefined ? {} : { includeServerSideToolInvocations: true })
  }
  return {
    tools: [{ functionDeclarations, ...searching }],
    ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig })
  }
}

type CallerTool = Exclude<Tool, SearchTool>

interface Offered {
  readonly functions: ReadonlyArray<CallerTool>
  readonly search: SearchTool | undefined
}

const offered = ({ toolChoice, tools }: Conversation, mixes: boolean, notes: Notes): Offered => {
  const search = tools.find((tool) => tool.type === "search")
  const functions = tools.filter((tool) => tool.type !== "search")
  if (search === undefined) return { functions, search }
  const mustSearch =
    toolChoice.type === "tool"
      ? toolChoice.name === search.name
      : toolChoice.type === "required" && toolChoice.names?.every((name) => name === search.name) === true
  if (functions.length > 0 && !mustSearch) {
    // A forced function leaves no room for a search.
    if (mixes && toolChoice.type === "auto") return { functions, search }
    notes.adapt(`tools.${search.name}`)
    return { functions, search: undefined }
  }
  // The model decides whether it searches.
  if (toolChoice.type !== "auto" && toolChoice.type !== "none") notes.adapt("tool_choice")
  return { functions: [], search: toolChoice.type === "none" ? undefined : search }
}

const declaration = (tool: CallerTool, schemas: ToolSchemas, back: Back, notes: Notes): JsonObject => {
  const name = back.upstreamName(tool.name)
  if (tool.type === "custom") {
    return { name, ...customDescription(tool, notes), parametersJsonSchema: customParameters }
  }
  const described = tool.description === undefined ? {} : { description: tool.description }
  return { name, ...described, parametersJsonSchema: schemas.of(tool).schema }
}

/** @param isStrict true if a tool's arguments must match its schema, which `VALIDATED` and `ANY` see to */
const calling = ({ toolChoice }: Conversation, isStrict: boolean, back: Back): JsonObject | undefined => {
  switch (toolChoice.type) {
    case "auto":
      return isStrict ? { mode: "VALIDATED" } : undefined
    case "none":
      return { mode: "NONE" }
    case "required":
      return toolChoice.names === undefined
        ? { mode: "ANY" }
        : { mode: "ANY", allowedFunctionNames: toolChoice.names.map(back.upstreamName) }
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [back.upstreamName(toolChoice.name)] }
  }
}

/** The tool has no settings that both of Google's addresses take. */
const googleSearch = (tool: SearchTool, notes: Notes): JsonObject => {
  if (tool.contextSize !== "medium") notes.adapt("search_context_size")
  if (tool.allowedDomains !== undefined) notes.adapt("allowed_domains")
  if (tool.blockedDomains !== undefined) notes.adapt("blocked_domains")
  if (tool.maxUses !== undefined) notes.adapt("max_uses")
  if (tool.location !== undefined) notes.adapt("user_location")
  return {}
}
