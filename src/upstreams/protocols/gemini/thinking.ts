import type { JsonObject } from "../../../contract/fields.ts"
import type { Conversation } from "../../../generation/Conversation.ts"
import type { Notes } from "../notes.ts"
import { budgetForEffort, effortOf, effortWithin, reasoningParam } from "../reasoning.ts"
import type { Effort } from "../reasoning.ts"
import type { ThinkingControl, Traits } from "./models.ts"

/** The `thinkingConfig` of a request; undefined leaves thinking to the model. */
export const thinkingConfig = (
  conversation: Conversation,
  { thinking }: Traits,
  notes: Notes
): JsonObject | undefined => {
  const effort = effortOf(conversation.reasoning)
  if (thinking.by === "nothing") {
    if (effort !== undefined && effort !== "none") notes.adapt(reasoningParam(conversation))
    return undefined
  }
  const config = {
    ...(conversation.reasoning.summary === undefined || effort === "none" ? {} : { includeThoughts: true }),
    ...(effort === undefined
      ? {}
      : thinking.by === "budget"
        ? budgeted(conversation, effort, thinking, notes)
        : leveled(conversation, effort, thinking, notes))
  }
  return Object.keys(config).length === 0 ? undefined : config
}

/** Lets the model decide. */
const dynamic = -1

const budgeted = (
  conversation: Conversation,
  effort: Effort,
  { isOptional, least, most }: Extract<ThinkingControl, { readonly by: "budget" }>,
  notes: Notes
): JsonObject => {
  const { maxOutputTokens, reasoning } = conversation
  if (effort === "none") {
    if (!isOptional) notes.adapt(reasoningParam(conversation))
    return { thinkingBudget: isOptional ? 0 : least }
  }
  const { budgetTokens } = reasoning
  if (budgetTokens === undefined && reasoning.effort === undefined) return { thinkingBudget: dynamic }
  // Thoughts count towards the output's bound. A budget derived from an effort leaves a fifth of it for the answer.
  const room = maxOutputTokens === undefined ? most : Math.floor(maxOutputTokens * 0.8)
  const wanted = budgetTokens ?? Math.min(budgetForEffort[effort], room)
  const budget = Math.max(least, Math.min(most, wanted))
  if (budgetTokens !== undefined && budget !== budgetTokens) notes.adapt("thinking.budget_tokens")
  return { thinkingBudget: budget }
}

const leveled = (
  conversation: Conversation,
  effort: Effort,
  { levels }: Extract<ThinkingControl, { readonly by: "level" }>,
  notes: Notes
): JsonObject => {
  const { reasoning } = conversation
  if (reasoning.budgetTokens !== undefined) notes.adapt("thinking.budget_tokens")
  else if (reasoning.effort === undefined && effort !== "none") return {}
  // These models always think.
  if (effort === "none") notes.adapt(reasoningParam(conversation))
  const nearest = effortWithin(conversation, effort, levels, notes)
  return nearest === undefined ? {} : { thinkingLevel: nearest.toUpperCase() }
}
