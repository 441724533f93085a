import type { Caller } from "../contract/Caller.ts"
import type { Conversation } from "../generation/Conversation.ts"
import { mostOf } from "../ledger/Price.ts"
import type { Price } from "../ledger/Price.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Admitted } from "./admit.ts"
import { mostInput } from "./mostInput.ts"

/** Output tokens held for a request without a bound of its own or of its model. */
const unboundedOutput = 16_384
/** Searches held for a request that sets no maximum. */
const unboundedSearches = 5

/** The maximum usage of a request. */
export interface Most {
  /** The gateway's count of the input. */
  readonly countedTokens: number
  /** The most input that may be billed. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly searches: number
}

/** The maximum usage of a request: its own bounds, otherwise its model's, otherwise the usual ones. */
export const mostUsed = (
  conversation: Conversation,
  { model, mostOutput, mostWritten = unboundedOutput }: Pick<Admitted, "model" | "mostOutput" | "mostWritten">,
  countedTokens: number
): Most => {
  const left = model.contextTokens === undefined ? Infinity : Math.max(0, model.contextTokens - countedTokens)
  const search = conversation.tools.find((tool) => tool.type === "search")
  const searches = search === undefined ? 0 : (search.maxUses ?? unboundedSearches)
  return {
    countedTokens,
    inputTokens: mostInput(conversation, model, countedTokens, searches),
    outputTokens: Math.min(conversation.maxOutputTokens ?? Math.min(left, mostWritten), mostOutput),
    searches
  }
}

/** The tokens of one answer that budgets of tokens hold: without a bound of its own, the usual output. */
export const heldTokens = (
  { countedTokens, outputTokens }: Most,
  { caller, conversation, model }: Omit<HeldFor, "answers">
): number =>
  countedTokens + heldOutput(caller, model, Math.min(outputTokens, conversation.maxOutputTokens ?? unboundedOutput))

/** The output tokens to hold for this maximum. The operator may hold only part of it. */
export const heldOutput = (caller: Caller, model: Model, outputTokens: number): number =>
  Math.min(outputTokens, model.holdOutputTokens ?? Infinity, caller.holdOutputTokens ?? Infinity)

interface HeldFor {
  /** The number of answers, each with that maximum. */
  readonly answers: number
  readonly caller: Caller
  readonly conversation: Conversation
  readonly model: Model
}

/** The amount of the hold in nano-dollars, and how it was computed. */
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
