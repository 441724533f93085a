import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, SearchTool, Tool } from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { backOf } from "../back.ts"
import { withoutBilling } from "../billing.ts"
import { endUser } from "../endUser.ts"
import { nameLeftOut } from "../fieldFates.ts"
import type { Notes } from "../notes.ts"
import { formatParam, jsonHint, takeNotes } from "../notes.ts"
import type { Lowered, LowerOptions } from "../Protocol.ts"
import { effortOf, effortWithin, reasoningParam } from "../reasoning.ts"
import { isComplete, schemaRules } from "../schemas.ts"
import { ToolSchemas } from "../toolSchemas.ts"
import { leftOut } from "./fates.ts"
import { lowerInput } from "./input.ts"
import type { Traits } from "./models.ts"
import { traitsOf } from "./models.ts"

/** The smallest `max_output_tokens` accepted. */
const leastTokens = 16

/** A conversation as a responses request. The gateway keeps the state, so the upstream stores nothing. */
export const lower = (asked: Conversation, options: LowerOptions): Lowered => {
  const notes = takeNotes()
  const conversation = withoutBilling(asked, notes.adapt)
  nameLeftOut(conversation, leftOut, notes)
  const back = backOf(conversation)
  const traits = traitsOf(options.knownAs ?? options.model)
  const input = lowerInput(conversation.items, options, back, notes)
  const instructions = withJsonWord(conversation, input)
    .filter((text) => text !== "")
    .join("\n\n")
  if (input.length === 0)
    notes.refuse(conversation.inputParam ?? "input", "holds nothing that the model's upstream takes")
  const reasoningField = reasoning(conversation, traits, notes)
  const { maxOutputTokens } = conversation
  if (maxOutputTokens !== undefined && maxOutputTokens < leastTokens) notes.adapt("max_tokens")
  const body: JsonObject = {
    model: options.model,
    ...(instructions === "" ? {} : { instructions }),
    input,
    stream: options.stream,
    store: false,
    ...include(conversation, traits, notes),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: Math.max(leastTokens, maxOutputTokens) }),
    ...sampling(conversation, traits, reasoningField?.["effort"] === "none", notes),
    ...tools(conversation, back, notes),
    ...(reasoningField === undefined ? {} : { reasoning: reasoningField }),
    ...text(conversation, traits, notes),
    ...(conversation.serviceTier === undefined ? {} : { service_tier: conversation.serviceTier }),
    ...(conversation.truncation === "auto" ? { truncation: "auto" } : {}),
    ...endUser(conversation, { name: "safety_identifier", characters: 128 }, notes),
    ...(conversation.cacheKey === undefined ? {} : { prompt_cache_key: conversation.cacheKey }),
    ...(conversation.cacheRetention === undefined ? {} : { prompt_cache_retention: conversation.cacheRetention })
  }
  return { body, adapted: notes.adapted(), refused: notes.refused(), back, stops: conversation.stopSequences }
}

/** The system texts, with the word that JSON mode demands somewhere in the request. */
const withJsonWord = ({ format, system }: Conversation, input: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  format.type !== "json" || /json/i.test(JSON.stringify([system, input])) ? system : [...system, jsonHint(format)]

const include = (conversation: Conversation, traits: Traits, notes: Notes): JsonObject => {
  const { logprobs } = conversation
  // A text in which stop sequences are searched is cut elsewhere than between tokens.
  const tellsLogprobs = logprobs !== undefined && traits.sampling && conversation.stopSequences.length === 0
  if (logprobs !== undefined && !tellsLogprobs) notes.adapt(logprobs.param)
  const wanted = [
    ...(tellsLogprobs ? ["message.output_text.logprobs"] : []),
    ...(traits.encrypted ? ["reasoning.encrypted_content"] : []),
    ...(conversation.tools.some((tool) => tool.type === "search") ? ["web_search_call.action.sources"] : [])
  ]
  return {
    ...(wanted.length > 0 && { include: wanted }),
    ...(tellsLogprobs && logprobs.value > 0 && { top_logprobs: logprobs.value })
  }
}

const sampling = ({ sampling }: Conversation, traits: Traits, unreasoned: boolean, notes: Notes): JsonObject => {
  const { temperature, topP } = sampling
  if (!traits.sampling && !unreasoned) {
    if (temperature !== undefined && temperature !== 1) notes.adapt("temperature")
    if (topP !== undefined && topP !== 1) notes.adapt("top_p")
    return {}
  }
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP })
  }
}

const reasoning = (conversation: Conversation, traits: Traits, notes: Notes): JsonObject | undefined => {
  const { reasoning } = conversation
  const effort = effortOf(reasoning)
  // A caller with a thinking budget expects to read thinking.
  const summary = reasoning.summary ?? (reasoning.enabled === true ? "auto" : undefined)
  if (effort === undefined && summary === undefined) return undefined
  if (traits.efforts.length === 0) {
    if (effort !== undefined && effort !== "none") notes.adapt(reasoningParam(conversation))
    return undefined
  }
  if (reasoning.budgetTokens !== undefined) notes.adapt("thinking.budget_tokens")
  const nearest = effort === undefined ? undefined : effortWithin(conversation, effort, traits.efforts, notes)
  return {
    ...(nearest === undefined ? {} : { effort: nearest }),
    ...(summary === undefined || effort === "none" ? {} : { summary })
  }
}

const tools = (conversation: Conversation, back: Back, notes: Notes): JsonObject => {
  const { tools, toolChoice, parallelToolCalls } = conversation
  if (tools.length === 0) return {}
  const uses = tools.find((tool) => tool.type === "search")?.maxUses
  const choice = toolChoiceOf(conversation, back)
  const schemas = new ToolSchemas(schemaRules.openai, true, notes)
  return {
    tools: tools.map((tool) => writeTool(tool, schemas, back, notes)),
    ...(toolChoice.type === "auto" ? {} : { tool_choice: choice }),
    ...(parallelToolCalls ? {} : { parallel_tool_calls: false }),
    ...(uses === undefined ? {} : { max_tool_calls: uses })
  }
}

const toolChoiceOf = ({ tools, toolChoice }: Conversation, back: Back): unknown => {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]))
  const named = (name: string): JsonObject => {
    const tool = byName.get(name)
    if (tool?.type === "search") return { type: "web_search" }
    return tool?.type === "custom"
      ? { type: "custom", name: back.upstreamName(name) }
      : { type: "function", name: back.upstreamName(name) }
  }
  if (toolChoice.type === "tool") return named(toolChoice.name)
  if (toolChoice.type !== "required" || toolChoice.names === undefined) return toolChoice.type
  return { type: "allowed_tools", mode: "required", tools: toolChoice.names.map(named) }
}

const writeTool = (tool: Tool, schemas: ToolSchemas, back: Back, notes: Notes): JsonObject => {
  const described = tool.type === "search" || tool.description === undefined ? {} : { description: tool.description }
  switch (tool.type) {
    case "search":
      return searchTool(tool, notes)
    case "custom":
      return {
        type: "custom",
        name: back.upstreamName(tool.name),
        ...described,
        ...(tool.grammar === undefined ? {} : { format: { type: "grammar", ...tool.grammar } })
      }
    case "function": {
      const { isStrict, schema } = schemas.of(tool)
      return {
        type: "function",
        name: back.upstreamName(tool.name),
        ...described,
        parameters: { type: "object", properties: {}, ...schema },
        // Strict is the dialect's default, and refuses most schemas that were not written for it.
        strict: isStrict
      }
    }
  }
}

const searchTool = (tool: SearchTool, notes: Notes): JsonObject => {
  const { allowedDomains, blockedDomains, contextSize, location } = tool
  if (blockedDomains !== undefined) notes.adapt("blocked_domains")
  return {
    type: "web_search",
    ...(allowedDomains === undefined ? {} : { filters: { allowed_domains: allowedDomains } }),
    search_context_size: contextSize,
    ...(location === undefined ? {} : { user_location: { type: "approximate", ...location } })
  }
}

const text = (conversation: Conversation, traits: Traits, notes: Notes): JsonObject => {
  const { verbosity } = conversation
  if (verbosity !== undefined && traits.verbosity !== true) notes.adapt(verbosity.param)
  const said = {
    ...textFormat(conversation, notes),
    ...(verbosity !== undefined && traits.verbosity === true && { verbosity: verbosity.value })
  }
  return Object.keys(said).length === 0 ? {} : { text: said }
}

const textFormat = (conversation: Conversation, notes: Notes): JsonObject => {
  const { format } = conversation
  if (format.type === "text") return {}
  if (format.type === "json") return { format: { type: "json_object" } }
  const { name, description, schema, strict } = format
  return {
    format: {
      type: "json_schema",
      name,
      ...(description === undefined ? {} : { description }),
      schema,
      strict: strict === true && isStrictAnswer(conversation, schema, notes)
    }
  }
}

const isStrictAnswer = (conversation: Conversation, schema: JsonObject, notes: Notes): boolean => {
  if (isComplete(schema)) return true
  notes.adapt(`${formatParam(conversation)}.strict`)
  return false
}
