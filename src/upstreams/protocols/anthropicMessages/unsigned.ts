import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, textAt } from "../../../contract/json/json.ts"

/**
 * True if a place refuses thinking that it did not sign: a history from another provider, another model or another
 * conversation. A request without that thinking may succeed.
 */
export const isSignatureRefusal = (message: string): boolean =>
  /invalid .?(?:signature|data).? in .?(?:redacted_)?thinking.? block|\bthinking\.signature: field required/i.test(
    message
  )

/** A request without the thinking of its history; undefined if it has none, or the refusal is about something else. */
export const unsigned = (body: JsonObject, refusal: string): JsonObject | undefined => {
  if (!isSignatureRefusal(refusal)) return undefined
  let isChanged = false
  const messages = listAt(body, "messages").flatMap((turn) => {
    if (!isObject(turn)) return [turn]
    const content = listAt(turn, "content")
    const left = content.filter((block) => !isThinking(block))
    if (left.length === content.length) return [turn]
    isChanged = true
    return left.length === 0 ? [] : [{ ...turn, content: left }]
  })
  if (!isChanged) return undefined
  const isBudget = textAt(body["thinking"], "type") === "enabled"
  if (!isBudget || !isMidLoop(messages)) return { ...body, messages }
  const { thinking: _, ...rest } = body
  return { ...rest, messages }
}

/** True if the model waits for tool results in a turn that began without thinking: under a budget it can't think on. */
export const isMidLoop = (turns: ReadonlyArray<unknown>): boolean =>
  listAt(turns.at(-1), "content").some((block) => textAt(block, "type") === "tool_result") &&
  !isThinking(listAt(turns.at(-2), "content")[0])

const isThinking = (block: unknown): boolean => /^(?:redacted_)?thinking$/.test(textAt(block, "type") ?? "")
