import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../json.ts"
import { cutOff, errorInAnswer } from "../upstreamFailure.ts"
import type { Opened } from "./items.ts"
import { citation, closeItem, openItem } from "./items.ts"

export interface State {
  readonly back: Back
  /** Output items that have begun and not ended, by `output_index`. */
  readonly open: ReadonlyMap<number, Opened>
  readonly searches: number
  readonly over: boolean
}

type Step = readonly [State, ReadonlyArray<GenerationEvent>]

export const begin = (back: Back): State => ({ back, open: new Map(), searches: 0, over: false })

/** One event of a stream; those we don't know say nothing. */
export const step = (state: State, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  const delta = textAt(frame, "delta") ?? ""
  switch (frame["type"]) {
    case "response.created":
      return [state, [{ type: "started", usage: undefined }]]
    case "response.output_item.added":
      return openItem(state, place(frame), objectAt(frame, "item"))
    case "response.output_item.done":
      return closeItem(state, place(frame), objectAt(frame, "item"))
    case "response.content_part.added":
      return textAt(objectAt(frame, "part"), "type") === "output_text" ? [state, [{ type: "text-start" }]] : [state, []]
    case "response.content_part.done":
      return textAt(objectAt(frame, "part"), "type") === "output_text" ? [state, [{ type: "text-end" }]] : [state, []]
    case "response.output_text.delta":
      return told(state, frame, { type: "text-delta", text: delta })
    case "response.output_text.annotation.added":
      return [state, citation(objectAt(frame, "annotation"))]
    case "response.refusal.delta":
      return told(state, frame, { type: "refusal-delta", text: delta })
    case "response.reasoning_summary_part.added":
      return (numberAt(frame, "summary_index") ?? 0) > 0
        ? told(state, frame, { type: "reasoning-delta", text: "\n\n" })
        : [state, []]
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return told(state, frame, { type: "reasoning-delta", text: delta })
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta": {
      const callId = state.open.get(place(frame))?.callId
      return callId === undefined ? [state, []] : told(state, frame, { type: "tool-call-delta", callId, text: delta })
    }
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
    case "response.cancelled":
      return finish(state, objectAt(frame, "response"))
    case "error":
      return failed(state, objectAt(frame, "error") ?? frame)
    default:
      return [state, []]
  }
}

export const end = (state: State): ReadonlyArray<GenerationEvent> =>
  state.over ? [] : [{ type: "failed", failure: cutOff }]

/** A whole response as the events that would have streamed it. */
export const frames = (response: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (response["object"] !== "response" && isObject(response["error"])) {
    return [{ type: "error", error: response["error"] }]
  }
  if (!Array.isArray(response["output"])) return undefined
  return [
    { type: "response.created" },
    ...listAt(response, "output").flatMap((item, output_index): ReadonlyArray<JsonObject> => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item }
    ]),
    { type: `response.${textAt(response, "status") ?? "completed"}`, response }
  ]
}

const place = (frame: JsonObject): number => numberAt(frame, "output_index") ?? 0

type Piece = Extract<GenerationEvent, { readonly text: string; readonly type: `${string}-delta` }>

/** Passes a piece on, and remembers that its item need not be told at its end. */
const told = (state: State, frame: JsonObject, event: Piece): Step => {
  if (event.text === "") return [state, []]
  const at = place(frame)
  const item = state.open.get(at)
  if (item === undefined || item.told) return [state, [event]]
  return [{ ...state, open: new Map(state.open).set(at, { ...item, told: true }) }, [event]]
}

const failed = (state: State, error: unknown): Step => [
  { ...state, over: true },
  [{ type: "failed", failure: errorInAnswer(error) }]
]

const finish = (state: State, response: JsonObject | undefined): Step => {
  const status = textAt(response, "status")
  if (status === "failed" || status === "cancelled") return failed(state, response?.["error"])
  const usage = readUsage(response?.["usage"], state.searches)
  const reason = finishReason(textAt(objectAt(response, "incomplete_details"), "reason"))
  return [
    { ...state, over: true },
    [
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
      { type: "finished", reason, stopSequence: null }
    ]
  ]
}

/** Calls make a `stop` into `tool-calls` right where events are put in order. */
const finishReason = (incomplete: string | undefined): FinishReason => {
  if (incomplete === undefined) return "stop"
  return incomplete === "content_filter" ? "refusal" : "max-tokens"
}

/** undefined where the upstream tells none, which is not the same as zero. Cached tokens are part of the input's. */
const readUsage = (usage: unknown, searches: number): Usage | undefined => {
  const input = numberAt(usage, "input_tokens")
  const output = numberAt(usage, "output_tokens")
  if (input === undefined && output === undefined) return undefined
  const cached = Math.min(input ?? 0, numberAt(objectAt(usage, "input_tokens_details"), "cached_tokens") ?? 0)
  return {
    inputTokens: (input ?? 0) - cached,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    outputTokens: output ?? 0,
    reasoningTokens: numberAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens") ?? 0,
    searches
  }
}
