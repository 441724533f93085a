import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { Notes } from "../notes.ts"
import { budgetForEffort, effortOf, effortWithin, reasoningParam } from "../reasoning.ts"
import type { Traits } from "./models.ts"

export interface Thinking {
  readonly thinks: boolean
  readonly thinking: JsonObject | undefined
  readonly outputConfig: JsonObject
}

const off: Thinking = { thinks: false, thinking: undefined, outputConfig: {} }

/** The smallest budget that the dialect accepts. */
const leastBudget = 1_024

/** The thinking parameters, where the model and the rest of the request allow them. */
export const thinking = (
  conversation: Conversation,
  around: {
    readonly traits: Traits
    readonly maxTokens: number
    /** A tool must be called, or the answer is begun: both exclude thinking. */
    readonly forced: boolean
    /** The current turn began without thinking, so it has to continue without. */
    readonly midLoop: boolean
    readonly notes: Notes
  }
): Thinking => {
  const { traits, maxTokens, forced, midLoop, notes } = around
  const { reasoning } = conversation
  const effort = effortOf(reasoning)
  if (effort === undefined) return off
  if (effort === "none") return traits.thinking === "adaptive" ? { ...off, thinking: { type: "disabled" } } : off
  const impossible = () => {
    notes.adapt(reasoningParam(conversation))
    return off
  }
  if (traits.thinking === "none" || forced) return impossible()
  if (traits.thinking === "adaptive") {
    if (reasoning.budgetTokens !== undefined) notes.adapt("thinking.budget_tokens")
    const display = reasoning.summary === undefined ? {} : { display: "summarized" }
    const allowed =
      reasoning.effort === undefined ? undefined : effortWithin(conversation, effort, traits.efforts, notes)
    return {
      thinks: true,
      thinking: { type: "adaptive", ...display },
      outputConfig: allowed === undefined ? {} : { effort: allowed }
    }
  }
  // The caller's own budget applies as it is. One derived from an effort leaves a fifth of the tokens for the answer.
  const wanted = reasoning.budgetTokens ?? Math.min(budgetForEffort[effort], Math.floor(maxTokens * 0.8))
  const budget = Math.min(Math.max(wanted, leastBudget), maxTokens - 1)
  if (midLoop || budget < leastBudget) return impossible()
  return { thinks: true, thinking: { type: "enabled", budget_tokens: budget }, outputConfig: {} }
}
