import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { passthroughMachine } from "../pipeline/passthrough.ts"
import type { Passthrough } from "../dispatch/GenerationOptions.ts"
import { errorBody } from "./Errors.ts"
import type { CreateMessage } from "./Request.ts"
import type { ThreadTurn } from "./threads/Threads.ts"

/**
 * The request for an upstream of this dialect: the caller's body, with the fields that only this gateway makes
 * optional.
 */
export const passthroughOf =
  (
    payload: Pick<CreateMessage, "model">,
    request: Incoming,
    id: string,
    turn: ThreadTurn | undefined
  ): Passthrough["request"] =>
  (upstream) => {
    // An upstream with threads continues under its own ids.
    const own = turn?.toldTo(upstream)
    const { body, headers } = own ?? request
    return {
      body: spelledOut(isObject(body) ? body : payload),
      bodyText: request.bodyText,
      headers,
      rewrite: (answer) =>
        own === undefined ? { ...answer, id, model: payload.model } : { ...answer, model: payload.model }
    }
  }

/** Frames pass through. A failure is written in the dialect. */
export const passthroughMachineOf = (request: Incoming) =>
  passthroughMachine((failure) => [{ ...errorBody(failure), request_id: request.id }])

/** Removes nulls, which providers refuse, and adds types and names that have only one possible value. */
const spelledOut = (body: JsonObject): JsonObject => {
  const given: Record<string, unknown> = {}
  for (const name in body) {
    const value = body[name]
    if (value === null) continue
    const spelled = name === "system" ? withType : name === "tools" ? withName : undefined
    given[name] = spelled !== undefined && Array.isArray(value) ? value.map(spelled) : value
  }
  return given
}

const withType = (part: unknown) =>
  isObject(part) && (part["type"] ?? undefined) === undefined ? { ...part, type: "text" } : part

const withName = (tool: unknown) =>
  isObject(tool) && (tool["name"] ?? undefined) === undefined && String(tool["type"]).startsWith("web_search_")
    ? { ...tool, name: "web_search" }
    : tool
