import { isObject, numberAt, objectAt } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { WholeAnswer } from "../passthrough/wholeAnswer.ts"
import type { Protocol } from "./Protocol.ts"

/**
 * The charge that the provider tells, in nano-dollars: xAI's ticks of 10⁻¹⁰ USD, OpenRouter's `cost`, to which its
 * price of the caller's own key is added, Perplexity's `total_cost`. Read only from providers whose row says that they
 * tell it (`ProviderRow.tellsCost`).
 */
export const toldCost = (usage: unknown): Pick<Usage, "toldNanoUsd"> => {
  if (!isObject(usage) || (usage["cost"] === undefined && usage["cost_in_usd_ticks"] === undefined)) return {}
  const ticks = numberAt(usage, "cost_in_usd_ticks")
  if (ticks !== undefined) return told(ticks / 10)
  const total = numberAt(usage["cost"], "total_cost") ?? numberAt(usage, "cost")
  if (total === undefined) return {}
  const details = objectAt(usage, "cost_details")
  const own = usage["is_byok"] === true ? (numberAt(details, "upstream_inference_cost") ?? 0) : 0
  return told((total + own) * 1e9)
}

/** No answer costs $10,000: sums of larger ones would not be exact. */
const mostTold = 10_000_000_000_000

/** An amount below zero is none, even one that would be rounded to zero. */
const told = (nanoUsd: number): Pick<Usage, "toldNanoUsd"> => {
  if (!(nanoUsd >= 0)) return {}
  const rounded = Math.round(Number(nanoUsd.toPrecision(15)))
  return rounded <= mostTold ? { toldNanoUsd: rounded } : {}
}

/** Reads frames as a protocol does, with the charge that they tell in its usage. */
export const tellingCost =
  <S>(step: Protocol<S>["step"]): Protocol<S>["step"] =>
  (state, frame) => {
    const [next, events] = step(state, frame)
    const told = toldCost(usageIn(frame))
    return [next, told.toldNanoUsd === undefined ? events : events.map((event) => withCost(event, told))]
  }

/** The same for answers that come whole. */
export const tellingWhole = (answer: WholeAnswer): WholeAnswer => ({
  ...answer,
  usageOf: (json, body) => {
    const usage = answer.usageOf(json, body)
    return usage && { ...usage, ...toldCost(json["usage"]) }
  }
})

/** Of chat completions, responses and messages. */
const usageIn = (frame: JsonObject): unknown =>
  frame["usage"] ?? objectAt(frame["response"], "usage") ?? objectAt(frame["message"], "usage")

const withCost = (event: GenerationEvent, told: Pick<Usage, "toldNanoUsd">): GenerationEvent =>
  event.type === "usage" ? { ...event, usage: { ...event.usage, ...told } } : event
