import type { Caller } from "../contract/Caller.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { mostOf } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Model } from "../catalogue/Catalogue.ts"

/** Output tokens set aside for a request that bounds them neither itself nor by its model's context. */
const unboundedOutput = 16_384
/** Searches set aside for a request that may search and does not say how often. */
const unboundedSearches = 5

/** What a request can use up at most. */
export interface Most {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly searches: number
}

/** What a request can use up at most: what was said to be the most, else a usual amount. */
export const mostUsed = (conversation: Conversation, model: Model, inputTokens: number): Most => {
  const left = model.contextTokens === undefined ? Infinity : Math.max(0, model.contextTokens - inputTokens)
  const search = conversation.tools.find((tool) => tool.type === "search")
  return {
    inputTokens,
    outputTokens: conversation.maxOutputTokens ?? Math.min(left, unboundedOutput),
    searches: search === undefined ? 0 : (search.maxUses ?? unboundedSearches)
  }
}

/** The output tokens that are set aside where a request may write so many: the operator may hold less than all of them. */
export const heldOutput = (caller: Caller, model: Model, outputTokens: number): number =>
  Math.min(outputTokens, model.holdOutputTokens ?? Infinity, caller.holdOutputTokens ?? Infinity)

interface HeldFor {
  /** How many answers are wanted, each of which can use that much. */
  readonly answers: number
  readonly caller: Caller
  readonly conversation: Conversation
  readonly model: Model
}

/** What is set aside for a request, in nano-dollars, and why it is that much. */
export const heldFor = (price: Price, most: Most, { answers, caller, conversation, model }: HeldFor) => {
  const outputTokens = heldOutput(caller, model, most.outputTokens)
  return {
    nanoUsd: answers * mostOf(price, { ...most, outputTokens }),
    because: () => {
      const named =
        conversation.maxOutputTokens === undefined ? "" : ` (${conversation.outputBound?.param ?? "its bound"})`
      const searches = most.searches === 0 ? "" : ` and ${most.searches} searches`
      const output =
        outputTokens === most.outputTokens
          ? `${outputTokens} tokens of output${named}`
          : `${outputTokens} of at most ${most.outputTokens} tokens of output${named}, as hold_output_tokens says`
      const times = answers === 1 ? "" : `, for each of ${answers} answers`
      return `for ${most.inputTokens} tokens of input, ${output}${searches}${times}`
    }
  }
}
