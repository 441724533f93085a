import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation, Tool } from "../../../generation/Conversation.ts"
import type { Back } from "../back.ts"
import { backOf, customDescription, customParameters } from "../back.ts"
import { withoutBilling } from "../billing.ts"
import { endUser } from "../endUser.ts"
import { leftOutBy, nameLeftOut } from "../fieldFates.ts"
import type { Notes } from "../notes.ts"
import { formatParam, jsonHint, takeNotes } from "../notes.ts"
import type { Lowered, LowerOptions } from "../Protocol.ts"
import { fitSchema, isComplete } from "../schemas.ts"
import { ToolSchemas } from "../toolSchemas.ts"
import { effortOf, effortWithin, reasoningParam } from "../reasoning.ts"
import { carriedFields } from "./carriedFields.ts"
import type { Provider } from "./Provider.ts"
import { fatesAt } from "./fates.ts"
import { fitToPlace, withWord } from "./fitToPlace.ts"
import { lowerMessages } from "./messages.ts"
import { ofModel } from "./ofModel.ts"
import { inOrder } from "./turns.ts"
import { withoutReasoning } from "./withoutReasoning.ts"

/** A conversation as a chat-completions request. */
export const lower = (
  asked: Conversation,
  options: LowerOptions,
  row: Provider,
  leftOut = leftOutBy(fatesAt(row))
): Lowered => {
  const notes = takeNotes()
  const publicId = options.knownAs ?? options.model
  const provider = ofModel(row, publicId)
  const conversation = withoutBilling(asked, notes.adapt)
  nameLeftOut(conversation, leftOut, notes)
  const back = backOf(conversation)
  const thinks = reasoning(conversation, provider, notes)
  const messages = lowerMessages(
    withFormatHint(conversation, provider, notes),
    { provider, signatures: options.callSignatures },
    back,
    notes
  )
  const offered = withoutReasoning({ ...tools(conversation, provider, back, notes), ...thinks }, provider, (wasSet) =>
    notes.adapt(wasSet ? reasoningParam(conversation) : "reasoning_effort")
  )
  const written: JsonObject = {
    model: options.model,
    messages: provider.hasRules ? inOrder(messages, provider) : messages,
    stream: options.stream,
    ...(options.stream && provider.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(conversation.maxOutputTokens === undefined ? {} : { [provider.maxTokens]: conversation.maxOutputTokens }),
    ...sampling(conversation, provider, offered["reasoning_effort"], notes),
    ...offered,
    ...responseFormat(conversation, provider, notes),
    ...(conversation.stopSequences.length === 0 || provider.maxStops === 0
      ? {}
      : { stop: conversation.stopSequences.slice(0, provider.maxStops) }),
    ...hints(conversation, provider, notes),
    ...carriedFields(conversation, publicId, provider, notes)
  }
  const body = conversation.format.type === "json" && provider.format !== "none" ? withWord(written) : written
  return {
    body: provider.hasRules ? fitToPlace(body, provider, notes.adapt) : body,
    adapted: notes.adapted(),
    refused: notes.refused(),
    back,
    stops: conversation.stopSequences.slice(provider.maxStops)
  }
}

const sampling = ({ sampling }: Conversation, provider: Provider, effort: unknown, notes: Notes): JsonObject => {
  if (refusesSampling(provider, effort)) {
    if (sampling.temperature !== undefined && sampling.temperature !== 1) notes.adapt("temperature")
    if (sampling.topP !== undefined && sampling.topP !== 1) notes.adapt("top_p")
    if (sampling.topK !== undefined) notes.adapt("top_k")
    return {}
  }
  return {
    ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.topK === undefined || !provider.topK ? {} : { top_k: sampling.topK })
  }
}

/** @param effort as it is sent */
const refusesSampling = ({ samples }: Provider, effort: unknown): boolean =>
  samples !== "always" && effort !== "none" && (effort !== undefined || samples === "if told not to reason")

const tools = (conversation: Conversation, provider: Provider, back: Back, notes: Notes): JsonObject => {
  if (conversation.tools.length === 0) return {}
  const offered = offer(conversation, provider)
  if (offered.some((tool) => tool.type === "search")) {
    notes.refuse(
      "tools",
      "web search is not available: the model's upstream has none and no search provider is configured"
    )
  }
  const schemas = new ToolSchemas(provider.schemas, provider.strictTools, notes)
  const written = offered.flatMap((tool) => (tool.type === "search" ? [] : [writeTool(tool, schemas, back, notes)]))
  if (written.length === 0) return {}
  if (!conversation.parallelToolCalls && !provider.parallelToolCalls) notes.adapt("parallel_tool_calls")
  return {
    tools: written,
    ...toolChoice(conversation, provider, back, notes),
    ...(conversation.parallelToolCalls || !provider.parallelToolCalls ? {} : { parallel_tool_calls: false })
  }
}

/** The tools to send. A choice that the server cannot express is made by sending only those tools. */
const offer = ({ tools, toolChoice }: Conversation, provider: Provider): ReadonlyArray<Tool> => {
  switch (toolChoice.type) {
    case "none":
      return provider.toolChoice === "none" ? [] : tools
    case "required": {
      const names = toolChoice.names === undefined ? undefined : new Set(toolChoice.names)
      return names === undefined ? tools : tools.filter((tool) => names.has(tool.name))
    }
    case "tool":
      return provider.toolChoice === "all" ? tools : tools.filter((tool) => tool.name === toolChoice.name)
    case "auto":
      return tools
  }
}

const toolChoice = ({ toolChoice }: Conversation, provider: Provider, back: Back, notes: Notes): JsonObject => {
  if (toolChoice.type === "auto") return {}
  if (provider.toolChoice === "none") {
    notes.adapt("tool_choice")
    return {}
  }
  if (toolChoice.type === "none") return { tool_choice: "none" }
  return toolChoice.type === "tool" && provider.toolChoice === "all"
    ? { tool_choice: { type: "function", function: { name: back.upstreamName(toolChoice.name) } } }
    : { tool_choice: "required" }
}

const writeTool = (
  tool: Exclude<Tool, { readonly type: "search" }>,
  schemas: ToolSchemas,
  back: Back,
  notes: Notes
): JsonObject => {
  const name = back.upstreamName(tool.name)
  if (tool.type === "custom") {
    return { type: "function", function: { name, ...customDescription(tool, notes), parameters: customParameters } }
  }
  const { isStrict, schema } = schemas.of(tool)
  const description = tool.description === undefined ? {} : { description: tool.description }
  const strict = isStrict ? { strict: true } : {}
  return { type: "function", function: { name, ...description, parameters: schema, ...strict } }
}

const reasoning = (conversation: Conversation, provider: Provider, notes: Notes): JsonObject => {
  const effort = effortOf(conversation.reasoning)
  if (effort === undefined) return {}
  const control = provider.reasoning
  const enabled = effort !== "none"
  const { budgetTokens } = conversation.reasoning
  if (control.by === "object" && budgetTokens !== undefined) return { reasoning: { max_tokens: budgetTokens } }
  const isCounted = control.by === "enable_thinking" || control.by === "nothing"
  if (budgetTokens !== undefined && !isCounted) notes.adapt("thinking.budget_tokens")
  switch (control.by) {
    case "nothing":
      if (enabled) notes.adapt(reasoningParam(conversation))
      return {}
    case "thinking":
      return { thinking: { type: enabled ? "enabled" : "disabled" } }
    case "enable_thinking":
      return {
        enable_thinking: enabled,
        ...(budgetTokens === undefined ? {} : { thinking_budget: budgetTokens })
      }
    case "template":
      return {
        chat_template_kwargs: { enable_thinking: enabled, thinking: enabled },
        ...(enabled && conversation.reasoning.effort !== undefined
          ? { reasoning_effort: effortWithin(conversation, effort, control.efforts, notes) }
          : {})
      }
    case "effort":
    case "object": {
      if (control.efforts.length === 0) {
        if (enabled) notes.adapt(reasoningParam(conversation))
        return {}
      }
      const nearest = effortWithin(conversation, effort, control.efforts, notes)
      if ((nearest === "none") === enabled) {
        notes.adapt(reasoningParam(conversation))
        return {}
      }
      return control.by === "effort" ? { reasoning_effort: nearest } : { reasoning: { effort: nearest } }
    }
  }
}

const responseFormat = (conversation: Conversation, provider: Provider, notes: Notes): JsonObject => {
  const { format } = conversation
  if (format.type === "text" || provider.format === "none") return {}
  if (format.type === "json" || provider.format === "object") return { response_format: { type: "json_object" } }
  const { name, description, strict } = format
  const { schemas } = provider
  const { isLoosened, schema } = fitSchema(format.schema, schemas.held)
  if (isLoosened) notes.adapt(formatParam(conversation))
  const isHeld = strict === true && (!schemas.isComplete || isComplete(schema))
  if (strict === true && !isHeld) notes.adapt(`${formatParam(conversation)}.strict`)
  return {
    response_format: {
      type: "json_schema",
      json_schema: {
        name,
        ...(description === undefined ? {} : { description }),
        schema,
        ...(strict === undefined ? {} : { strict: isHeld })
      }
    }
  }
}

/** Describes the output format in words, for a server that cannot enforce it. */
const withFormatHint = (conversation: Conversation, provider: Provider, notes: Notes): Conversation => {
  const { format } = conversation
  if (format.type === "text" || provider.format === "schema") return conversation
  if (format.type === "json" && provider.format === "object") return conversation
  notes.adapt(formatParam(conversation))
  return { ...conversation, system: [...conversation.system, jsonHint(format)] }
}

const hints = (conversation: Conversation, provider: Provider, notes: Notes): JsonObject => {
  const { cacheKey, cacheRetention } = conversation
  return {
    ...endUser(conversation, provider.endUser, notes),
    ...(cacheKey === undefined || !provider.cacheKey ? {} : { prompt_cache_key: cacheKey }),
    ...(cacheRetention === undefined || !provider.cacheKey ? {} : { prompt_cache_retention: cacheRetention })
  }
}
