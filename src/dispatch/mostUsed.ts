import type { Caller } from "../contract/Caller.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Demand } from "../generation/Demand.ts"
import { isHostedCall } from "../contract/HostedCall.ts"
import type { HostedCall } from "../contract/HostedCall.ts"
import { mostOf } from "../ledger/Price.ts"
import type { MostUsage, Price } from "../ledger/Price.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import type { Admitted } from "./admit.ts"
import { mostInput } from "./mostInput.ts"

/** Output tokens held for a request without a bound of its own or of its model. */
const unboundedOutput = 16_384
/** Searches, and calls of other tools, held for a request that sets no maximum. */
const unboundedCalls = 5
const unboundedImages = 4
/** Output tokens held for a compaction, whose input is the whole conversation. */
const compacted = 4_096

/** The maximum usage of a request. */
export interface Most extends MostUsage {
  /** The gateway's count of the input. */
  readonly countedTokens: number
}

/** The maximum usage of a request: its own bounds, otherwise its model's, otherwise the usual ones. */
export const mostUsed = (
  conversation: Conversation,
  { model, mostOutput, mostWritten = unboundedOutput }: Pick<Admitted, "model" | "mostOutput" | "mostWritten">,
  countedTokens: number,
  demands: ReadonlyArray<Demand>
): Most => {
  const left = model.contextTokens === undefined ? Infinity : Math.max(0, model.contextTokens - countedTokens)
  const search = conversation.tools.find((tool) => tool.type === "search")
  const asked = demands.flatMap(({ mostCalls, of }) => (of === "web_search" ? [mostCalls ?? unboundedCalls] : []))
  const searches = Math.max(search === undefined ? 0 : (search.maxUses ?? unboundedCalls), ...asked)
  const calls = callsOf(demands)
  const inputTokens = mostInput(
    conversation,
    model,
    countedTokens,
    calls.reduce((sum, [, most]) => sum + most, searches)
  )
  const isCompacted = demands.some(({ of }) => of === "compaction")
  return {
    countedTokens,
    inputTokens,
    outputTokens: Math.min(conversation.maxOutputTokens ?? Math.min(left, mostWritten), mostOutput),
    searches,
    ...(calls.length > 0 && { calls: Object.fromEntries(calls) }),
    ...(isCompacted && { besides: [{ inputTokens, outputTokens: compacted, searches: 0 }] })
  }
}

/** The most calls of each tool that the provider runs and bills, without searches. */
const callsOf = (demands: ReadonlyArray<Demand>): ReadonlyArray<readonly [HostedCall, number]> => {
  const most = new Map<HostedCall, number>()
  for (const { mostCalls, of } of demands) {
    if (of === "web_search" || !isHostedCall(of)) continue
    const usual = of === "image_generation" ? unboundedImages : unboundedCalls
    most.set(of, Math.max(most.get(of) ?? 0, mostCalls ?? usual))
  }
  return [...most]
}

/** The tokens of one answer that budgets of tokens hold: without a bound of its own, the usual output. */
export const heldTokens = (
  { besides = [], countedTokens, outputTokens }: Most,
  { caller, conversation, model }: Omit<HeldFor, "answers">
): number =>
  countedTokens +
  heldOutput(caller, model, Math.min(outputTokens, conversation.maxOutputTokens ?? unboundedOutput)) +
  (besides.length > 0 ? countedTokens + compacted : 0)

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
      const calls = Object.entries(most.calls ?? {}).map(([tool, count]) => `, ${count} calls of ${tool}`)
      const besides = most.besides === undefined ? "" : ", and its compaction"
      const output =
        outputTokens === most.outputTokens
          ? `${outputTokens} tokens of output${named}`
          : `${outputTokens} of at most ${most.outputTokens} tokens of output${named}, as hold_output_tokens says`
      const times = answers === 1 ? "" : `, for each of ${answers} answers`
      return `for ${most.inputTokens} tokens of input, ${output}${searches}${calls.join("")}${besides}${times}`
    }
  }
}
