import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import { listAt, objectAt, textAt } from "../json.ts"
import { cutOff, errorInAnswer } from "../upstreamFailure.ts"
import type { Block } from "./blocks.ts"
import { endBlock, startBlock, stepBlock } from "./blocks.ts"
import { readUsage } from "./usage.ts"

export interface State {
  readonly back: Back
  /** undefined until the upstream tells any. */
  readonly usage: Usage | undefined
  /** The content block that is open; they never overlap. */
  readonly block: Block | undefined
  /** UTF-16 units of text since anything else came: blocks of text that follow each other are one text. */
  readonly written: number
  /** Whether the answer's only call was the one that stands for its text. */
  readonly answeredByTool: boolean
  readonly reason: FinishReason | undefined
  readonly stopSequence: string | null
  readonly over: boolean
}

type Step = readonly [State, ReadonlyArray<GenerationEvent>]

export const begin = (back: Back): State => ({
  back,
  usage: undefined,
  block: undefined,
  written: 0,
  answeredByTool: false,
  reason: undefined,
  stopSequence: null,
  over: false
})

/** One event of a stream; those we don't know (and `ping`) say nothing. */
export const step = (state: State, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  switch (frame["type"]) {
    case "message_start": {
      const usage = readUsage(objectAt(frame, "message")?.["usage"], state.usage)
      return [{ ...state, usage }, [{ type: "started", usage }]]
    }
    case "content_block_start": {
      const content = objectAt(frame, "content_block")
      return content === undefined ? [state, []] : startBlock(state, content)
    }
    case "content_block_delta": {
      const delta = objectAt(frame, "delta")
      return delta === undefined ? [state, []] : stepBlock(state, delta)
    }
    case "content_block_stop":
      return endBlock(state)
    case "message_delta": {
      const usage = readUsage(frame["usage"], state.usage)
      const delta = objectAt(frame, "delta")
      const reason = finishReason(textAt(delta, "stop_reason"), state) ?? state.reason
      const stopSequence = textAt(delta, "stop_sequence") ?? state.stopSequence
      const total = frame["usage"] === undefined || usage === undefined ? [] : [{ type: "usage", usage } as const]
      return [{ ...state, usage, reason, stopSequence }, total]
    }
    case "message_stop":
      return [{ ...state, over: true }, finished(state, "stop")]
    case "error":
      return [{ ...state, over: true }, [{ type: "failed", failure: errorInAnswer(frame["error"]) }]]
    default:
      return [state, []]
  }
}

/** A stream that ends after its stop reason has only lost its last word. */
export const end = (state: State): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  return state.reason === undefined ? [{ type: "failed", failure: cutOff }] : finished(state, state.reason)
}

/** A whole message as the events that would have streamed it. */
export const frames = (message: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (message["type"] === "error") return [message]
  if (!Array.isArray(message["content"])) return undefined
  const { content: _, usage, ...rest } = message
  return [
    { type: "message_start", message: rest },
    ...listAt(message, "content").flatMap((block, index): ReadonlyArray<JsonObject> => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index }
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: message["stop_reason"], stop_sequence: message["stop_sequence"] },
      usage
    },
    { type: "message_stop" }
  ]
}

const finished = (state: State, otherwise: FinishReason): ReadonlyArray<GenerationEvent> => [
  { type: "finished", reason: state.reason ?? otherwise, stopSequence: state.stopSequence }
]

const finishReason = (reason: string | undefined, state: State): FinishReason | undefined => {
  switch (reason) {
    case undefined:
      return undefined
    case "max_tokens":
      return "max-tokens"
    case "stop_sequence":
      return "stop-sequence"
    case "tool_use":
      return state.answeredByTool ? "stop" : "tool-calls"
    case "pause_turn":
      return "pause"
    case "refusal":
      return "refusal"
    case "model_context_window_exceeded":
      return "context-exceeded"
    default:
      return "stop"
  }
}
