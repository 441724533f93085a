import type { JsonObject } from "../../contract/fields.ts"
import { isObject, textAt } from "../../contract/json/json.ts"
import type { Conversation } from "../../generation/Conversation.ts"

/** Claude Code's first words of the system text. They differ by session, so that no two sessions share a prefix cache. */
const name = "x-anthropic-billing-header"
const line = /^\s*x-anthropic-billing-header:[^\n]*\n*/

const hosts = /(^|\.)(anthropic\.com|claude\.com|amazonaws\.com|api\.aws|googleapis\.com|azure\.com)$/

/** True for Anthropic's own hosts and its clouds', which read the header. */
export const readsBilling = (baseUrl: string): boolean => hosts.test(URL.parse(baseUrl)?.hostname ?? "")

type Lost = (param: string) => void

/** A conversation without the header. */
export const withoutBilling = (conversation: Conversation, lost: Lost): Conversation => {
  const [first, ...others] = conversation.system
  if (first === undefined || !line.test(first)) return conversation
  lost(name)
  const rest = first.replace(line, "")
  const mark = conversation.systemMarks?.get(first)
  return {
    ...conversation,
    system: rest === "" ? others : [rest, ...others],
    ...(mark !== undefined && { systemMarks: new Map([...(conversation.systemMarks ?? []), [rest, mark] as const]) })
  }
}

/** The same for a body of the messages dialect. */
export const bodyWithoutBilling = (body: JsonObject, lost: Lost): JsonObject => {
  const system = body["system"]
  const [first, ...others]: ReadonlyArray<unknown> = Array.isArray(system) ? system : [system]
  const text = typeof first === "string" ? first : textAt(first, "text")
  if (text === undefined || !line.test(text)) return body
  lost(name)
  const rest = text.replace(line, "")
  if (!Array.isArray(system)) return { ...body, system: rest === "" ? undefined : rest }
  const left = rest === "" || !isObject(first) ? others : [{ ...first, text: rest }, ...others]
  return { ...body, system: left.length === 0 ? undefined : left }
}
