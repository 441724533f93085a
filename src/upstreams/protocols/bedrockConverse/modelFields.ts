import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt } from "../../../contract/json/json.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { Traits } from "../anthropicMessages/models.ts"
import { sampling as claudesSampling } from "../anthropicMessages/request.ts"
import { thinking } from "../anthropicMessages/thinking.ts"
import { endUser } from "../endUser.ts"
import type { Notes } from "../notes.ts"
import { effortOf, effortWithin, reasoningParam } from "../reasoning.ts"
import type { ConverseTurn } from "./messages.ts"
import type { ConverseTraits } from "./models.ts"

interface Around {
  readonly traits: ConverseTraits
  /** The tools and the choice among them. */
  readonly config: JsonObject | undefined
  readonly messages: ReadonlyArray<ConverseTurn>
  readonly notes: Notes
}

/** The parameters of inference, and what models have beside the dialect's own. */
export interface ModelFields {
  readonly inference: JsonObject
  /** `additionalModelRequestFields` */
  readonly fields: JsonObject
  /** `outputConfig.effort` */
  readonly effort?: string | undefined
}

export const modelFields = (conversation: Conversation, around: Around): ModelFields => {
  const stopSequences = conversation.stopSequences.slice(0, around.traits.maxStops)
  const { claude } = around.traits
  const { inference, ...others } =
    claude === undefined ? othersFields(conversation, around) : claudesFields(conversation, claude, around)
  return { ...others, inference: { ...inference, ...(stopSequences.length > 0 && { stopSequences }) } }
}

const claudesFields = (
  conversation: Conversation,
  claude: Traits,
  { config, messages, notes }: Around
): ModelFields => {
  const maxTokens = conversation.maxOutputTokens ?? claude.maxTokens
  const choice = objectAt(config, "toolChoice")
  const thought = thinking(conversation, {
    traits: claude,
    maxTokens,
    forced: (choice !== undefined && choice["auto"] === undefined) || messages.at(-1)?.role === "assistant",
    midLoop: isMidLoop(messages),
    notes
  })
  const { temperature, top_k, top_p: topP } = claudesSampling(conversation, claude, thought.thinks, notes)
  const metadata = endUser(conversation, { name: "user_id", characters: 256 }, notes)
  const { effort } = thought.outputConfig
  return {
    inference: { maxTokens, ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) },
    fields: {
      ...(thought.thinking !== undefined && { thinking: thought.thinking }),
      ...(top_k !== undefined && { top_k }),
      ...(metadata !== undefined && { metadata })
    },
    ...(typeof effort === "string" && { effort })
  }
}

/** True if the model waits for tool results in a turn whose thinking cannot be replayed. */
export const isMidLoop = (messages: ReadonlyArray<unknown>): boolean =>
  objectAt(firstOf(messages.at(-1)), "toolResult") !== undefined &&
  objectAt(firstOf(messages.at(-2)), "reasoningContent") === undefined

const firstOf = (turn: unknown): unknown => listAt(turn, "content")[0]

const othersFields = (conversation: Conversation, { notes, traits }: Around): ModelFields => {
  endUser(conversation, undefined, notes)
  const { temperature, topK, topP } = conversation.sampling
  const { maxOutputTokens: maxTokens } = conversation
  const effort = reasoningEffort(conversation, traits, notes)
  // At its highest effort, Nova sets the rest itself.
  const isFree = effort !== "high"
  if (!isFree && temperature !== undefined) notes.adapt("temperature")
  if (!isFree && topP !== undefined) notes.adapt("top_p")
  if (temperature !== undefined && temperature > 1 && isFree) notes.adapt("temperature")
  const isTopK = topK !== undefined && traits.topK === "inferenceConfig" && isFree
  if (topK !== undefined && !isTopK) notes.adapt("top_k")
  return {
    inference: {
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && isFree && { temperature: Math.min(1, temperature) }),
      ...(topP !== undefined && isFree && { topP })
    },
    fields: {
      ...(isTopK && { inferenceConfig: { topK } }),
      ...(effort !== undefined && { reasoningConfig: { type: "enabled", maxReasoningEffort: effort } })
    }
  }
}

/** The effort for models that have one; undefined for no reasoning, which is their usual. */
const reasoningEffort = (conversation: Conversation, { efforts }: ConverseTraits, notes: Notes): string | undefined => {
  const wanted = effortOf(conversation.reasoning)
  if (wanted === undefined || wanted === "none") return undefined
  if (efforts.length === 0) {
    notes.adapt(reasoningParam(conversation))
    return undefined
  }
  if (conversation.reasoning.budgetTokens !== undefined) notes.adapt("thinking.budget_tokens")
  // At its highest effort, Nova takes no bound of tokens.
  const allowed = conversation.maxOutputTokens === undefined ? efforts : efforts.filter((effort) => effort !== "high")
  return effortWithin(conversation, wanted, allowed, notes)
}
