import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, textAt } from "../../../contract/json/json.ts"
import type { Provider } from "./Provider.ts"

/** A request without its forced tool call, if the server refuses that together with thinking. */
export const thinkingFreely = (
  body: JsonObject,
  { forcesWhileThinking }: Provider,
  lost: (param: string) => void
): JsonObject => {
  const { tool_choice: choice, ...rest } = body
  if (forcesWhileThinking || !(choice === "required" || isObject(choice)) || !thinks(body)) return body
  lost("tool_choice")
  return rest
}

const thinks = (body: JsonObject): boolean =>
  textAt(body["thinking"], "type") === "enabled" ||
  body["enable_thinking"] === true ||
  !["none", undefined].includes(textAt(body, "reasoning_effort")) ||
  /reasoner|thinking/.test(textAt(body, "model") ?? "")
