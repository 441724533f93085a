import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { Back } from "../back.ts"
import { TakenIds } from "../callIds.ts"
import { isCut as isCutText } from "../back.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { beginsQuoted, unquoted } from "../quoted.ts"
import { cutCall, cutOff, failedWith, unknownReason } from "../upstreamFailure.ts"
import { citation, closeItem, logprobsIn, openItem } from "./items.ts"
import { billedCalls } from "../billedCalls.ts"
import { billedSearches, callsOf } from "./hostedCalls.ts"
import type { ResponsesState, Step } from "./state.ts"
import { imageUsage } from "./imageUsage.ts"
import { readUsage } from "./usage.ts"

export const begin = (back: Back): ResponsesState => ({
  back,
  open: new Map(),
  answerId: "",
  calls: new TakenIds(),
  isCut: false,
  searches: 0,
  hosted: {},
  hasItems: false,
  over: false
})

/** One frame of a stream. Unknown ones yield nothing. */
export const step = (state: ResponsesState, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  const delta = textAt(frame, "delta") ?? ""
  switch (frame["type"]) {
    case "response.created":
      return [
        { ...state, answerId: textAt(objectAt(frame, "response"), "id") ?? "" },
        [{ type: "started", usage: undefined }]
      ]
    case "response.output_item.added":
      return openItem(state, place(frame), objectAt(frame, "item"))
    case "response.output_item.done":
      return closeItem(state, place(frame), objectAt(frame, "item"))
    case "response.content_part.added":
      return textAt(objectAt(frame, "part"), "type") === "output_text" ? [state, [{ type: "text-start" }]] : [state, []]
    case "response.content_part.done":
      return textAt(objectAt(frame, "part"), "type") === "output_text" ? [state, [{ type: "text-end" }]] : [state, []]
    case "response.output_text.delta":
      return emitDelta(state, frame, { type: "text-delta", text: delta, ...logprobsIn(frame) })
    case "response.output_text.annotation.added":
      return [state, citation(objectAt(frame, "annotation"))]
    case "response.refusal.delta":
      return emitDelta(state, frame, { type: "refusal-delta", text: delta })
    case "response.reasoning_summary_part.added":
      return (numberAt(frame, "summary_index") ?? 0) > 0
        ? emitDelta(state, frame, { type: "reasoning-delta", text: "\n\n" })
        : [state, []]
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return emitDelta(state, frame, { type: "reasoning-delta", text: delta })
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta": {
      const callId = state.open.get(place(frame))?.callId
      return callId === undefined
        ? [state, []]
        : emitDelta(state, frame, { type: "tool-call-delta", callId, text: delta })
    }
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
    case "response.cancelled":
      return ended(state, objectAt(frame, "response"))
    case "error":
      return failed(state, objectAt(frame, "error") ?? frame)
    default:
      return [state, []]
  }
}

export const end = (state: ResponsesState): ReadonlyArray<GenerationEvent> =>
  state.over ? [] : [{ type: "failed", failure: cutOff }]

/** A whole response as the frames that would have streamed it. */
export const frames = (response: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (response["object"] !== "response" && isObject(response["error"])) {
    return [{ type: "error", error: response["error"] }]
  }
  const output = response["output"]
  if (!Array.isArray(output) || !output.every((item) => textAt(item, "type") !== undefined)) return undefined
  return [
    { type: "response.created", response: { id: response["id"] } },
    ...listAt(response, "output").flatMap((item, output_index): ReadonlyArray<JsonObject> => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item }
    ]),
    { type: `response.${textAt(response, "status") ?? "completed"}`, response }
  ]
}

const place = (frame: JsonObject): number => numberAt(frame, "output_index") ?? 0

type Piece = Extract<GenerationEvent, { readonly text: string; readonly type: `${string}-delta` }>

/** Emits a delta and marks its item, so that its content is not read again at the end. */
const emitDelta = (state: ResponsesState, frame: JsonObject, event: Piece): Step => {
  if (event.text === "") return [state, []]
  const at = place(frame)
  const item = state.open.get(at)
  const isCall = event.type === "tool-call-delta"
  if (item === undefined) {
    // A server that does not announce its items: this one must not be read again at its end.
    state.open.set(at, { callId: undefined, hasDeltas: true, isFunction: false, arguments: "" })
    return [{ ...state, hasItems: true }, [event]]
  }
  if (item.hasDeltas && !isCall) return [state, [event]]
  const text = isCall ? appendText(item.arguments, event.text) : ""
  const quoted = item.isFunction ? (item.quoted ?? beginsQuoted(event.text)) : false
  state.open.set(at, { ...item, hasDeltas: true, arguments: text, quoted })
  return [state, isCall && quoted === true ? [] : [event]]
}

const failed = (state: ResponsesState, error: unknown): Step => [{ ...state, over: true }, [failedWith(error)]]

/** Emits the end, after any items that only the whole response has: some servers stream none. */
const ended = (before: ResponsesState, response: JsonObject | undefined): Step => {
  if (before.hasItems) return finish(before, response)
  let state = before
  const events: Array<GenerationEvent> = []
  for (const [index, item] of listAt(response, "output").entries()) {
    const [next, closed] = closeItem(state, index, isObject(item) ? item : undefined)
    state = next
    for (const event of closed) events.push(event)
  }
  const [after, last] = finish(state, response)
  return events.length === 0 ? [after, last] : [after, [...events, ...last]]
}

const finish = (state: ResponsesState, response: JsonObject | undefined): Step => {
  const status = textAt(response, "status")
  if (status === "failed" || status === "cancelled") return failed(state, response?.["error"])
  const hosted = billedCalls(response?.["usage"], callsOf(listAt(response, "output"), state.hosted))
  const usage = readUsage(response?.["usage"], billedSearches(response, state.searches), hosted)
  const incomplete = textAt(objectAt(response, "incomplete_details"), "reason")
  const reason = finishReason(incomplete)
  // If the upstream reports a cut, a cut call is no error.
  const isCut =
    state.isCut || [...state.open.values()].some((item) => item.isFunction && isCutText(unquoted(item.arguments)))
  if (isCut && reason !== "max-tokens") return [{ ...state, over: true }, [{ type: "failed", failure: cutCall }]]
  return [
    { ...state, over: true },
    [
      ...(usage === undefined ? [] : [{ type: "usage", usage: { ...usage, ...imageUsage(response) } } as const]),
      {
        type: "finished",
        reason,
        stopSequence: null,
        ...tierOf(response),
        ...unknownReason(!knownReasons.has(incomplete ?? ""), incomplete)
      }
    ]
  ]
}

const tierOf = (response: JsonObject | undefined) => {
  const serviceTier = textAt(response, "service_tier")
  return serviceTier === undefined ? {} : { serviceTier }
}

const knownReasons: ReadonlySet<string> = new Set(["", "max_output_tokens", "content_filter"])

/** `sequence` turns a `stop` after calls into `tool-calls`. */
const finishReason = (incomplete: string | undefined): FinishReason => {
  if (incomplete === undefined) return "stop"
  return incomplete === "content_filter" ? "refusal" : "max-tokens"
}
