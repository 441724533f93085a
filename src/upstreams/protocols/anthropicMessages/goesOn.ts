import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, numberAt, objectAt } from "../../../contract/json/json.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"

/**
 * The request that continues an answer that stopped with `pause_turn`: its content so far becomes an assistant turn.
 * Undefined if no tokens are left or the content is incomplete.
 */
export const goesOn = (
  asked: JsonObject,
  answer: JsonObject | undefined,
  { outputTokens }: Pick<Usage, "outputTokens">
): JsonObject | undefined => {
  const answered = listAt(answer, "content").filter(isObject)
  const bound = numberAt(asked, "max_tokens") ?? Number.NaN
  const left = Number.isNaN(outputTokens) ? bound : bound - outputTokens
  const budget = numberAt(objectAt(asked, "thinking"), "budget_tokens") ?? 0
  if (answered.length === 0 || left <= budget) return undefined
  const messages = listAt(asked, "messages")
  const last = messages.at(-1)
  const isAssistants = isObject(last) && last["role"] === "assistant"
  const content = isAssistants ? [...listAt(last, "content"), ...answered] : answered
  return {
    ...asked,
    max_tokens: left,
    messages: [...(isAssistants ? messages.slice(0, -1) : messages), { role: "assistant", content }]
  }
}
