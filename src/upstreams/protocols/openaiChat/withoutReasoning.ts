import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, textAt } from "../../../contract/json/json.ts"
import type { Provider } from "./Provider.ts"

/** A translated request without reasoning, if the model takes no functions beside it. `lost` names the effort. */
export const withoutReasoning = (
  body: JsonObject,
  { functions }: Provider,
  lost: (wasSet: boolean) => void
): JsonObject => {
  const effort = body["reasoning_effort"]
  const isTaken = effort === "none" || (effort === undefined && functions !== "none")
  if (functions === "any effort" || isTaken || !hasFunctions(body)) return body
  lost(effort !== undefined)
  return { ...body, reasoning_effort: "none" }
}

/** A caller's own request with an effort where its functions are refused without one. One that it names stays. */
export const withEffort = (body: JsonObject, { functions }: Provider, lost: (param: string) => void): JsonObject => {
  if (functions !== "none" || (body["reasoning_effort"] ?? undefined) !== undefined || !hasFunctions(body)) return body
  lost("reasoning_effort")
  return { ...body, reasoning_effort: "none" }
}

const hasFunctions = (body: JsonObject): boolean =>
  listAt(body, "tools").some((tool) => textAt(tool, "type") === "function")
