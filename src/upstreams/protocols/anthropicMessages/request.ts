import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, SearchTool, Tool } from "../../../generation/Conversation.ts"
import { fittedMarks } from "../../../generation/cacheMarks.ts"
import type { Back } from "../back.ts"
import { backOf, customDescription, customParameters } from "../back.ts"
import { endUser } from "../endUser.ts"
import type { Notes } from "../notes.ts"
import { formatParam, takeNotes } from "../notes.ts"
import type { Lowered, LowerOptions } from "../Protocol.ts"
import { fitSchema, flatten, schemaRules } from "../schemas.ts"
import { ToolSchemas } from "../toolSchemas.ts"
import { isBlank } from "./blankText.ts"
import { markPrompt } from "./cache.ts"
import { cacheControl } from "./marks.ts"
import type { MessageTurn } from "./messages.ts"
import { lowerMessages } from "./messages.ts"
import type { Traits } from "./models.ts"
import { traitsOf } from "./models.ts"
import { thinking } from "./thinking.ts"

/** The tool whose arguments are the answer, for models without structured output. */
const answerTool = "json_answer"

/** A conversation as a messages request. */
export const lower = (asked: Conversation, options: LowerOptions): Lowered => {
  const notes = takeNotes()
  const conversation = fittedMarks(asked, notes.adapt)
  const traits = traitsOf(options.knownAs ?? options.model)
  const { format } = conversation
  const byTool = format.type === "json-schema" && !traits.structured
  const back = backOf(conversation, byTool ? answerTool : undefined)
  const { system, turns } = lowerMessages(conversation, options, back, notes)
  const maxTokens = conversation.maxOutputTokens ?? traits.maxTokens
  const choice = toolChoice(conversation, back)
  const thought = thinking(conversation, {
    traits,
    maxTokens,
    forced: choice?.["type"] === "any" || choice?.["type"] === "tool" || turns.at(-1)?.role === "assistant",
    midLoop: isMidLoop(turns),
    notes
  })
  const hint = format.type === "json" ? [{ type: "text", text: "Answer with one JSON object and nothing else." }] : []
  if (format.type === "json") notes.adapt(formatParam(conversation))
  const schemas = new ToolSchemas(schemaRules.anthropic, traits.structured, notes)
  const tools = [
    ...offeredTools(conversation).map((tool) => writeTool(tool, schemas, back, notes)),
    ...answer(format, byTool)
  ]
  const prompt = markPrompt(conversation, { tools, system: [...system, ...hint], turns }, options.cachesAll === true)
  const outputConfig: JsonObject = {
    ...thought.outputConfig,
    ...(format.type === "json-schema" && !byTool
      ? { format: { type: "json_schema", schema: answerSchema(conversation, format, notes) } }
      : {})
  }
  const stops = conversation.stopSequences.filter((stop) => !isBlank(stop))
  const user = endUser(conversation, { name: "user_id", characters: 256 }, notes)
  const body: JsonObject = {
    model: options.model,
    max_tokens: maxTokens,
    ...(prompt.system.length === 0 ? {} : { system: prompt.system }),
    messages: prompt.turns,
    stream: options.stream,
    ...(prompt.tools.length === 0 ? {} : { tools: prompt.tools }),
    ...(prompt.tools.length === 0 || choice === undefined ? {} : { tool_choice: choice }),
    ...(thought.thinking === undefined ? {} : { thinking: thought.thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...sampling(conversation, traits, thought.thinks, notes),
    ...(stops.length === 0 ? {} : { stop_sequences: stops }),
    ...(user === undefined ? {} : { metadata: user })
  }
  if (turns.length === 0)
    notes.refuse(conversation.inputParam ?? "input", "holds nothing that the model's upstream takes")
  return {
    body,
    adapted: notes.adapted(),
    refused: notes.refused(),
    back,
    stops: conversation.stopSequences.filter(isBlank)
  }
}

/** True if the model waits for tool results in a turn whose thinking cannot be replayed. */
const isMidLoop = (turns: ReadonlyArray<MessageTurn>): boolean => {
  const last = turns.at(-1)
  if (last?.role !== "user" || last.content[0]?.["type"] !== "tool_result") return false
  const first = turns.at(-2)?.content[0]?.["type"]
  return first !== "thinking" && first !== "redacted_thinking"
}

/** The tools to send. A choice among some of them is made by sending only those. */
export const offeredTools = ({ tools, toolChoice }: Conversation): ReadonlyArray<Tool> => {
  const names = toolChoice.type === "required" && toolChoice.names !== undefined ? new Set(toolChoice.names) : undefined
  return names === undefined ? tools : tools.filter((tool) => names.has(tool.name))
}

const toolChoice = (conversation: Conversation, back: Back): JsonObject | undefined => {
  const { toolChoice } = conversation
  const oneByOne = conversation.parallelToolCalls ? {} : { disable_parallel_tool_use: true }
  switch (toolChoice.type) {
    case "none":
      return back.answerTool === undefined ? { type: "none" } : { type: "tool", name: back.answerTool }
    case "required":
      return { type: "any", ...oneByOne }
    case "tool":
      return { type: "tool", name: back.upstreamName(toolChoice.name), ...oneByOne }
    case "auto":
      if (back.answerTool !== undefined) {
        return conversation.tools.length === 0 ? { type: "tool", name: back.answerTool } : { type: "any", ...oneByOne }
      }
      return conversation.parallelToolCalls ? undefined : { type: "auto", ...oneByOne }
  }
}

const answer = (format: Conversation["format"], byTool: boolean): ReadonlyArray<JsonObject> =>
  byTool && format.type === "json-schema"
    ? [
        {
          name: answerTool,
          description: format.description ?? "Gives the final answer. Call it once, with the whole answer.",
          input_schema: { type: "object", ...flatten(format.schema) }
        }
      ]
    : []

const answerSchema = (
  conversation: Conversation,
  { description, schema: given }: Extract<Conversation["format"], { readonly type: "json-schema" }>,
  notes: Notes
): JsonObject => {
  const { isLoosened, schema } = fitSchema(given, schemaRules.anthropic.held)
  if (isLoosened) notes.adapt(formatParam(conversation))
  return description === undefined || "description" in schema ? schema : { description, ...schema }
}

const writeTool = (tool: Tool, schemas: ToolSchemas, back: Back, notes: Notes): JsonObject => ({
  ...unmarkedTool(tool, schemas, back, notes),
  ...cacheControl(tool)
})

const unmarkedTool = (tool: Tool, schemas: ToolSchemas, back: Back, notes: Notes): JsonObject => {
  if (tool.type === "search") return searchTool(tool, back, notes)
  const name = back.upstreamName(tool.name)
  if (tool.type === "custom") return { name, ...customDescription(tool, notes), input_schema: customParameters }
  const described = tool.description === undefined ? {} : { description: tool.description }
  const { isStrict, schema } = schemas.of(tool)
  return { name, ...described, input_schema: { type: "object", ...schema }, ...(isStrict ? { strict: true } : {}) }
}

const searchTool = (tool: SearchTool, back: Back, notes: Notes): JsonObject => {
  if (tool.contextSize !== "medium") notes.adapt("search_context_size")
  const { allowedDomains, blockedDomains, maxUses, location } = tool
  return {
    type: "web_search_20250305",
    name: back.upstreamName(tool.name),
    ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    ...(allowedDomains === undefined ? {} : { allowed_domains: allowedDomains }),
    ...(blockedDomains === undefined ? {} : { blocked_domains: blockedDomains }),
    ...(location === undefined ? {} : { user_location: { type: "approximate", ...location } })
  }
}

/** With thinking on, the model refuses sampling parameters. */
export const sampling = (conversation: Conversation, traits: Traits, thinks: boolean, notes: Notes): JsonObject => {
  const { temperature, topP, topK } = conversation.sampling
  const free = !thinks && traits.sampling !== "none"
  const isSet = (value: number | undefined) => value !== undefined && value !== 1
  if (isSet(temperature) && (!free || Number(temperature) > 1)) notes.adapt("temperature")
  const both = traits.sampling === "one" && isSet(temperature)
  if (isSet(topP) && (!free || both)) notes.adapt("top_p")
  if (topK !== undefined && !free) notes.adapt("top_k")
  if (!free) return {}
  return {
    ...(temperature === undefined || (traits.sampling === "one" && temperature === 1 && isSet(topP))
      ? {}
      : { temperature: Math.min(1, temperature) }),
    ...(topP === undefined || both || (traits.sampling === "one" && topP === 1) ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK })
  }
}
