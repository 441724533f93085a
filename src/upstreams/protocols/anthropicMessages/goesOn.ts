import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, numberAt, objectAt } from "../../../contract/json.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { asWhole } from "./asWhole.ts"

/**
 * The request for the rest of an answer that stopped with `pause_turn`: with what it has said so far as the assistant's.
 * Undefined where no tokens are left for it, or it is not whole.
 */
export const goesOn = (
  asked: JsonObject,
  frames: ReadonlyArray<JsonObject>,
  { outputTokens }: Pick<Usage, "outputTokens">
): JsonObject | undefined => {
  const said = listAt(asWhole(frames), "content").filter(isObject)
  const bound = numberAt(asked, "max_tokens") ?? Number.NaN
  const left = Number.isNaN(outputTokens) ? bound : bound - outputTokens
  const budget = numberAt(objectAt(asked, "thinking"), "budget_tokens") ?? 0
  if (said.length === 0 || left <= budget) return undefined
  const messages = listAt(asked, "messages")
  const last = messages.at(-1)
  const isAssistants = isObject(last) && last["role"] === "assistant"
  const content = isAssistants ? [...listAt(last, "content"), ...said] : said
  return {
    ...asked,
    max_tokens: left,
    messages: [...(isAssistants ? messages.slice(0, -1) : messages), { role: "assistant", content }]
  }
}
