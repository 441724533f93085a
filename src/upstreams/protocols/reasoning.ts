import type { Conversation, Reasoning } from "../../generation/Conversation.ts"
import type { Notes } from "./notes.ts"

export type Effort = NonNullable<Reasoning["effort"]>

/** Weakest first. */
const ladder: ReadonlyArray<Effort> = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** The effort of a caller's reasoning setting; undefined leaves it to the model. */
export const effortOf = (reasoning: Reasoning): Effort | undefined => {
  if (reasoning.enabled === false) return "none"
  if (reasoning.effort !== undefined) return reasoning.effort
  if (reasoning.budgetTokens !== undefined) return effortForBudget(reasoning.budgetTokens)
  return reasoning.enabled === true ? "medium" : undefined
}

const effortForBudget = (tokens: number): Effort => {
  if (tokens <= 2_048) return "low"
  if (tokens <= 12_288) return "medium"
  return tokens <= 24_576 ? "high" : "xhigh"
}

/** Thinking tokens for dialects with budgets. */
export const budgetForEffort: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 28_672,
  max: 31_999
}

/** The allowed effort nearest to the wanted one, the weaker of two; undefined if none is allowed. */
const nearestEffort = (wanted: Effort, allowed: ReadonlyArray<Effort>): Effort | undefined => {
  const rank = ladder.indexOf(wanted)
  // Reasoning or none is a greater difference than how much.
  const kind = allowed.filter((effort) => (effort === "none") === (wanted === "none"))
  return (kind.length > 0 ? kind : [...allowed]).sort(
    (a, b) =>
      Math.abs(ladder.indexOf(a) - rank) - Math.abs(ladder.indexOf(b) - rank) || ladder.indexOf(a) - ladder.indexOf(b)
  )[0]
}

/** The nearest effort for a caller's; one that is another than the caller's own is named. */
export const effortWithin = (
  conversation: Conversation,
  effort: Effort,
  allowed: ReadonlyArray<Effort>,
  notes: Notes
): Effort | undefined => {
  const nearest = nearestEffort(effort, allowed)
  if (conversation.reasoning.effort !== undefined && nearest !== effort) notes.adapt(reasoningParam(conversation))
  return nearest
}

/** The caller's name of the reasoning parameter. */
export const reasoningParam = (conversation: Conversation): string =>
  conversation.reasoning.effort === undefined ? "thinking" : "reasoning.effort"
