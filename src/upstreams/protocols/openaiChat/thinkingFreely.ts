import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, textAt } from "../../../contract/json/json.ts"
import type { Provider } from "./Provider.ts"

/**
 * A request whose thinking goes with the rest of it. A forced tool gives way to thinking that is asked for; thinking that
 * is only a model's default gives way to a forced tool, and to calls whose reasoning is not there any more.
 */
export const thinkingFreely = (body: JsonObject, provider: Provider, lost: (param: string) => void): JsonObject => {
  const { tool_choice: choice, ...rest } = body
  const isForced = choice === "required" || isObject(choice)
  if (!provider.forcesWhileThinking && isForced && thinks(body)) {
    lost("tool_choice")
    return withoutDefault(rest, false, provider, lost)
  }
  return withoutDefault(body, isForced, provider, lost)
}

const thinks = (body: JsonObject): boolean =>
  textAt(body["thinking"], "type") === "enabled" ||
  body["enable_thinking"] === true ||
  !["none", undefined].includes(textAt(body, "reasoning_effort")) ||
  /reasoner|thinking/.test(textAt(body, "model") ?? "")

const withoutDefault = (
  body: JsonObject,
  isForced: boolean,
  { thinksByDefault }: Provider,
  lost: (param: string) => void
): JsonObject => {
  if (!thinksByDefault || textAt(body["thinking"], "type") === "disabled") return body
  if (!isForced && !listAt(body, "messages").some(isUnreasoned)) return body
  lost("thinking")
  return { ...body, thinking: { type: "disabled" } }
}

/** True for a turn of calls without the reasoning that led to them. */
const isUnreasoned = (message: unknown): boolean =>
  isObject(message) && listAt(message, "tool_calls").length > 0 && typeof message["reasoning_content"] !== "string"
