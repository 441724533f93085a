import { inputOf } from "../../../contract/records/measures.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { cacheDetails } from "../../../generation/GenerationEvent.ts"
import { FrameNames } from "../../framing/WholeFrames.ts"
import { isObject, listAt, numberAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"
import { isFrom, readOrigin } from "../../../generation/origin.ts"
import { signs } from "./input.ts"
import { traitsOf } from "./models.ts"
import { asStream } from "./asStream.ts"
import { callMark, hostedCallIn, isBilledSearch } from "./hostedCalls.ts"
import { gathers, isLast, withItems } from "./asWhole.ts"
import type { EventDialect } from "../../passthrough/Dialect.ts"

/** Reasoning goes back only to the model and the key that encrypted it. The upstream judges reasoning of unknown origin. */
const reasoning =
  (model: string, key: string | undefined, lost: (param: string) => void) =>
  (item: unknown): ReadonlyArray<unknown> => {
    const signature = textAt(item, "type") === "reasoning" ? textAt(item, "encrypted_content") : undefined
    const origin = signature === undefined ? undefined : readOrigin(signature)
    if (origin === undefined || !isObject(item)) return [item]
    if (isFrom(origin, signs, model, key)) return [{ ...item, encrypted_content: origin.opaque }]
    lost("reasoning")
    return []
  }

/** Responses to an upstream of the responses dialect. The gateway keeps their state; the upstream stores nothing. */
export const responsesDialect: EventDialect = {
  family: "responses",
  // Codex returns the state with the next request of its turn.
  headers: ["openai-beta", "x-codex-turn-state"],
  replyHeaders: ["x-codex-turn-state", "x-reasoning-included"],
  body: (body, { key, knownAs, upstreamModel, stream }, lost = () => {}) => ({
    ...body,
    ...(Array.isArray(body["input"]) && { input: body["input"].flatMap(reasoning(upstreamModel, key, lost)) }),
    model: upstreamModel,
    stream,
    // The upstream itself keeps a conversation.
    store: (body["conversation"] ?? undefined) === undefined ? false : body["store"],
    previous_response_id: undefined,
    ...include(body, knownAs ?? upstreamModel)
  }),
  withoutReasoning: (body) => {
    const items = listAt(body, "input")
    const input = items.filter((item) => textAt(item, "type") !== "reasoning")
    return input.length === items.length ? undefined : { ...body, input }
  },
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
    // A frame without a name has its type inside.
    "message"
  ]),
  concerns: (event, data) => event !== "response.output_item.done" || callMark.test(data),
  // Searches and other calls are counted by their items.
  account: (answer) => answer,
  usageIn: ({ type }) => (type === "response.completed" || type === "response.incomplete" ? "totals" : undefined),
  isEmpty: (response) => listAt(response, "output").length === 0,
  begins: ({ type }) => type === "response.created" || type === "response.queued" || type === "response.in_progress",
  usage: (usage) => {
    const input_tokens = inputOf(usage)
    return {
      input_tokens,
      input_tokens_details: cacheDetails(usage),
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: input_tokens + usage.outputTokens
    }
  },
  lacks: (data) => !data.includes('"sequence_number"'),
  numbered: (frame, sequence_number) =>
    numberAt(frame, "sequence_number") === undefined ? { ...frame, sequence_number } : frame,
  completed: (response) => withDetails(response),
  completedEnd: (frame) => frame,
  asStream,
  isLast,
  gathers,
  itemEnd: "response.output_item.done",
  calledIn: (item) => (isBilledSearch(item) ? "web_search" : hostedCallIn(item)),
  withItems: (response, ended) =>
    withItems(
      response,
      ended.map((data) => parseJson(data))
    ),
  answerIn: "response"
}

/** Clients add up the details of usage: null is not a number to them. */
const withDetails = (response: JsonObject): JsonObject => {
  const usage = objectAt(response, "usage")
  if (usage === undefined) return response
  const { input_tokens: input, output_tokens: output } = usage
  const total_tokens = typeof input === "number" && typeof output === "number" ? { total_tokens: input + output } : {}
  return {
    ...response,
    usage: {
      ...total_tokens,
      ...usage,
      input_tokens_details: counted(objectAt(usage, "input_tokens_details"), "cached_tokens"),
      output_tokens_details: counted(objectAt(usage, "output_tokens_details"), "reasoning_tokens")
    }
  }
}

const counted = (details: JsonObject | undefined, count: string): JsonObject => ({
  ...details,
  [count]: details?.[count] ?? 0
})

/** Reasoning that the upstream does not store can only be replayed encrypted. */
const include = (body: JsonObject, model: string): JsonObject => {
  if (!traitsOf(model).encrypted) return {}
  return { include: [...new Set([...listAt(body, "include"), "reasoning.encrypted_content"])] }
}
