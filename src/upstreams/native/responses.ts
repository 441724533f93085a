import type { JsonObject } from "../../contract/fields.ts"
import { FrameNames } from "../framing/WholeFrames.ts"
import { listAt } from "../protocols/json.ts"
import { traitsOf } from "../protocols/openaiResponses/models.ts"
import type { Dialect } from "./Dialect.ts"

/** Responses to an upstream of the responses dialect, whose state the gateway keeps: it stores nothing itself. */
export const responses: Dialect = {
  family: "responses",
  headers: ["openai-beta"],
  body: (body, { upstreamModel, stream }) => ({
    ...body,
    model: upstreamModel,
    stream,
    store: false,
    previous_response_id: undefined,
    ...include(body, upstreamModel)
  }),
  names: new FrameNames([
    "response.created",
    "response.queued",
    "response.in_progress",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "response.cancelled",
    "response.output_item.done",
    "error",
    // A frame without a name says what it is inside.
    "message"
  ]),
  concerns: (event, data) => event !== "response.output_item.done" || data.includes('"web_search_call"'),
  // Searches are counted by their items.
  account: (answer) => answer,
  answerIn: "response"
}

/** What is not stored there can only be replayed encrypted. */
const include = (body: JsonObject, model: string): JsonObject => {
  if (!traitsOf(model).encrypted) return {}
  return { include: [...new Set([...listAt(body, "include"), "reasoning.encrypted_content"])] }
}
