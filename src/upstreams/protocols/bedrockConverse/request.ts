import type { JsonObject } from "../../../contract/fields.ts"
import { fittedMarks } from "../../../generation/cacheMarks.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import { isToBeMarked } from "../anthropicMessages/cache.ts"
import type { Back } from "../back.ts"
import { backOf } from "../back.ts"
import { withoutBilling } from "../billing.ts"
import { nameLeftOut } from "../fieldFates.ts"
import type { Notes } from "../notes.ts"
import { formatParam, jsonHint, takeNotes } from "../notes.ts"
import type { Lowered, LowerOptions } from "../Protocol.ts"
import { fitSchema, schemaRules } from "../schemas.ts"
import { cachePoint, lowerMessages } from "./messages.ts"
import type { LoweredMessages, ConverseTurn } from "./messages.ts"
import type { ConverseTraits } from "./models.ts"
import { traitsOf } from "./models.ts"
import { modelFields } from "./modelFields.ts"
import { answerTool, toolConfig } from "./tools.ts"

/** A conversation as a Converse request, with the model and the way of answering, which belong into its path. */
export const lower = (asked: Conversation, options: LowerOptions): Lowered => {
  const notes = takeNotes()
  const { guardrail, model } = options
  const traits = traitsOf(options.knownAs ?? model)
  const known = fittedMarks(withoutBilling(asked, notes.adapt), notes.adapt)
  const conversation = withFormatHint(known, traits, notes)
  if (traits.cachePoints === "none") nameLeftOut(conversation, caching, notes)
  const byTool = conversation.format.type === "json-schema" && !traits.structured && traits.toolChoice === "all"
  const { thinkTag } = traits
  const back: Back = { ...backOf(conversation, byTool ? answerTool : undefined), ...(thinkTag && { thinkTag }) }
  const lowered = lowerMessages(conversation, { model, knownAs: options.knownAs ?? model, traits, back, notes })
  const tools = toolConfig(conversation, { traits, back, notes })
  const { messages, system, toolConfig: config } = pointed(conversation, { ...lowered, tools }, traits, options)
  const { effort, fields, inference } = modelFields(conversation, { traits, config, messages, notes })
  const outputConfig: JsonObject = {
    ...textFormat(conversation, traits, notes),
    ...(effort !== undefined && { effort })
  }
  const { serviceTier } = conversation
  if (conversation.items.length > 0 && messages.length === 0) {
    notes.refuse(conversation.inputParam ?? "input", "holds nothing that the model's upstream takes")
  }
  const stopsTold = traits.claude !== undefined && conversation.stopSequences.length > 0
  const body: JsonObject = {
    model,
    stream: options.stream && (config === undefined || traits.tools === "streamed"),
    messages,
    ...(system.length > 0 && { system }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(config !== undefined && { toolConfig: config }),
    ...(Object.keys(outputConfig).length > 0 && { outputConfig }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
    // The dialect itself does not tell which sequence it was.
    ...(stopsTold && { additionalModelResponseFieldPaths: ["/stop_sequence"] }),
    ...(guardrail !== undefined && {
      guardrailConfig: { guardrailIdentifier: guardrail.id, guardrailVersion: guardrail.version }
    }),
    ...(serviceTier !== undefined && tiers.has(serviceTier) && { serviceTier: { type: serviceTier } })
  }
  if (serviceTier !== undefined && serviceTier !== "default" && !tiers.has(serviceTier)) notes.adapt("service_tier")
  return {
    body,
    adapted: notes.adapted(),
    refused: notes.refused(),
    back,
    stops: conversation.stopSequences.slice(traits.maxStops)
  }
}

const tiers: ReadonlySet<string> = new Set(["flex", "priority", "reserved"])

/** The caller's wishes about a cache, which some models don't have. */
const caching = ["cacheMarks", "cacheKey", "cacheRetention"] as const

interface Prompt extends LoweredMessages {
  readonly tools: JsonObject | undefined
}

/** The prompt with the gateway's own cache points, for callers whose dialect has none. */
const pointed = (conversation: Conversation, prompt: Prompt, traits: ConverseTraits, options: LowerOptions) => {
  const { system, tools, turns } = prompt
  const isMarked = isToBeMarked(conversation, turns.length, options.cachesAll === true)
  if (traits.cachePoints === "none" || !isMarked) return { messages: turns, system, toolConfig: tools }
  const point = cachePoint(conversation.cacheRetention === "24h" && traits.longCache ? "1h" : undefined)
  const users = turns.filter(({ role }) => role === "user").slice(-2)
  const offered = tools?.["tools"]
  return {
    messages: turns.map((turn): ConverseTurn =>
      users.includes(turn) ? { ...turn, content: [...turn.content, point] } : turn
    ),
    system: system.length === 0 ? system : [...system, point],
    toolConfig:
      traits.cachePoints === "prompts" || !Array.isArray(offered) ? tools : { ...tools, tools: [...offered, point] }
  }
}

/** Describes the output format in words, for a model that can neither hold it nor be made to call a tool. */
const withFormatHint = (conversation: Conversation, traits: ConverseTraits, notes: Notes): Conversation => {
  const { format } = conversation
  const isHeld = format.type === "json-schema" && (traits.structured || traits.toolChoice === "all")
  if (format.type === "text" || isHeld) return conversation
  notes.adapt(formatParam(conversation))
  return { ...conversation, system: [...conversation.system, jsonHint(format)] }
}

const textFormat = (conversation: Conversation, traits: ConverseTraits, notes: Notes): JsonObject => {
  const { format } = conversation
  if (format.type !== "json-schema" || !traits.structured) return {}
  const { isLoosened, schema } = fitSchema(format.schema, schemaRules.anthropic.held)
  if (isLoosened) notes.adapt(formatParam(conversation))
  const { description, name } = format
  const jsonSchema = { schema: JSON.stringify(schema), name, ...(description !== undefined && { description }) }
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}
