import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, Tool } from "../../../generation/Conversation.ts"
import { offeredTools } from "../anthropicMessages/request.ts"
import type { Back } from "../back.ts"
import { customDescription, customParameters } from "../back.ts"
import type { Notes } from "../notes.ts"
import { flatten, schemaRules } from "../schemas.ts"
import { ToolSchemas } from "../toolSchemas.ts"
import { pointsFor } from "./messages.ts"
import type { ConverseTraits } from "./models.ts"

/** The tool whose arguments are the answer, for models without structured output. */
export const answerTool = "json_answer"

interface Around {
  readonly traits: ConverseTraits
  readonly back: Back
  readonly notes: Notes
}

/** The tools and the choice among them; undefined if the request has none. */
export const toolConfig = (conversation: Conversation, around: Around): JsonObject | undefined => {
  const { back, notes, traits } = around
  const schemas = new ToolSchemas(schemaRules.anthropic, traits.structured, notes)
  const tools = toOffer(conversation, traits).flatMap((tool) => [
    ...writeTool(tool, schemas, around),
    ...toolPoint(tool, around)
  ])
  const all = [...tools, ...answer(conversation, back)]
  const isNone = conversation.toolChoice.type === "none" && back.answerTool === undefined
  // Calls in the conversation need the tools that they call, and the dialect has no choice of none.
  const called = calledNames(conversation)
  if (called.size === 0 && (all.length === 0 || isNone)) return undefined
  if (isNone && tools.length > 0) notes.adapt("tool_choice")
  if (all.length > 0 && !conversation.parallelToolCalls) notes.adapt("parallel_tool_calls")
  if (traits.tools === "none") notes.refuse("tools", "the model has no tools at its upstream")
  const needed = all.length > 0 ? all : [...called].map((name) => bare(back.upstreamName(name)))
  const choice = all.length === 0 || isNone ? undefined : toolChoice(conversation, around)
  return { tools: needed, ...(choice !== undefined && { toolChoice: choice }) }
}

const calledNames = ({ items }: Conversation): ReadonlySet<string> =>
  new Set(items.flatMap((item) => (item.type === "tool-call" ? [item.name] : [])))

/** A choice that the model does not take is made by sending only those tools. */
const toOffer = (conversation: Conversation, traits: ConverseTraits): ReadonlyArray<Tool> => {
  const { toolChoice, tools } = conversation
  return toolChoice.type === "tool" && traits.toolChoice !== "all"
    ? tools.filter(({ name }) => name === toolChoice.name)
    : offeredTools(conversation)
}

const toolChoice = (conversation: Conversation, { back, notes, traits }: Around): JsonObject | undefined => {
  const { toolChoice, tools } = conversation
  const any = { any: {} }
  switch (toolChoice.type) {
    case "none":
      return back.answerTool === undefined ? undefined : { tool: { name: back.answerTool } }
    case "required":
    case "tool":
      if (traits.toolChoice === "auto") {
        notes.adapt("tool_choice")
        return undefined
      }
      return toolChoice.type === "tool" && traits.toolChoice === "all"
        ? { tool: { name: back.upstreamName(toolChoice.name) } }
        : any
    case "auto":
      if (back.answerTool === undefined) return undefined
      return tools.length === 0 ? { tool: { name: back.answerTool } } : any
  }
}

const answer = ({ format }: Conversation, { answerTool }: Back): ReadonlyArray<JsonObject> => {
  if (answerTool === undefined || format.type !== "json-schema") return []
  const description = format.description ?? "Gives the final answer. Call it once, with the whole answer."
  return [spec(answerTool, { description }, { type: "object", ...flatten(format.schema) })]
}

const writeTool = (tool: Tool, schemas: ToolSchemas, { back, notes }: Around): ReadonlyArray<JsonObject> => {
  if (tool.type === "search") {
    notes.refuse(
      "tools",
      "web search is not available: the model's upstream has none and no search provider is configured"
    )
    return []
  }
  const name = back.upstreamName(tool.name)
  if (tool.type === "custom") return [spec(name, customDescription(tool, notes), customParameters)]
  const { isStrict, schema } = schemas.of(tool)
  // The description may be left out, but not empty.
  const described = tool.description === undefined || tool.description === "" ? {} : { description: tool.description }
  return [spec(name, { ...described, ...(isStrict && { strict: true }) }, { type: "object", ...schema })]
}

const toolPoint = (tool: Tool, { notes, traits }: Around): ReadonlyArray<JsonObject> => {
  if (tool.cacheMark === undefined || traits.cachePoints === "tools and prompts") {
    return pointsFor([tool], { notes, traits })
  }
  notes.adapt("cache_control")
  return []
}

const bare = (name: string): JsonObject => spec(name, {}, { type: "object", properties: {} })

const spec = (name: string, more: JsonObject, schema: JsonObject): JsonObject => ({
  toolSpec: { name, ...more, inputSchema: { json: schema } }
})
