import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { isSignatureRefusal } from "../anthropicMessages/unsigned.ts"
import { isMidLoop } from "./modelFields.ts"

/** A request without the reasoning of its history; undefined if it has none, or the refusal is about something else. */
export const unsigned = (body: JsonObject, refusal: string): JsonObject | undefined => {
  if (!isSignatureRefusal(refusal)) return undefined
  let isChanged = false
  const messages: Array<JsonObject> = []
  for (const turn of listAt(body, "messages").filter(isObject)) {
    const content = listAt(turn, "content").filter(isObject)
    const left = content.filter((block) => block["reasoningContent"] === undefined)
    isChanged ||= left.length < content.length
    const last = messages.at(-1)
    // Turns alternate.
    if (left.length > 0 && last?.["role"] === turn["role"]) {
      messages[messages.length - 1] = { ...last, content: [...listAt(last, "content"), ...left] }
    } else if (left.length > 0) messages.push({ ...turn, content: left })
  }
  if (!isChanged) return undefined
  const { thinking, ...fields } = objectAt(body, "additionalModelRequestFields") ?? {}
  const isBudget = textAt(thinking, "type") === "enabled"
  if (!isBudget || !isMidLoop(messages)) return { ...body, messages }
  const { additionalModelRequestFields: _, ...rest } = body
  return { ...rest, messages, ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }) }
}
