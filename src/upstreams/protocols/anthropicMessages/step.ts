import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import { besideAnswer } from "../BesideAnswer.ts"
import { BlockOrder, readAll } from "../BlockOrder.ts"
import { endBare } from "../callBlocks.ts"
import { TakenIds } from "../callIds.ts"
import { listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { cutCall, cutOff, failedWith, unknownReason } from "../upstreamFailure.ts"
import { endBlock, startBlock, stepBlock } from "./blocks.ts"
import type { MessagesState, Step } from "./state.ts"
import { readUsage, tellsTokens } from "./usage.ts"

export const begin = (back: Back): MessagesState => ({
  back,
  usage: undefined,
  answerId: "",
  calls: new TakenIds(),
  isCut: false,
  bare: undefined,
  order: new BlockOrder(),
  block: undefined,
  written: 0,
  answeredByTool: false,
  beside: besideAnswer(back.answerTool),
  reason: undefined,
  stopSequence: null,
  over: false
})

/** One frame of a stream. Unknown ones and `ping` yield nothing. */
export const step = (state: MessagesState, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  switch (frame["type"]) {
    case "message_start": {
      const message = objectAt(frame, "message")
      const usage = readUsage(message?.["usage"], state.usage)
      return [{ ...state, usage, answerId: textAt(message, "id") ?? "" }, [{ type: "started", usage }]]
    }
    case "content_block_start":
    case "content_block_delta":
    case "content_block_stop": {
      const [begins, ends] = [frame["type"] === "content_block_start", frame["type"] === "content_block_stop"]
      return readAll(state, state.order.take({ frame, index: numberAt(frame, "index"), begins, ends }), readBlock)
    }
    case "message_delta": {
      const delta = objectAt(frame, "delta")
      const told = textAt(delta, "stop_reason")
      const [read, rest] = told === undefined ? ([state, []] as const) : readAll(state, state.order.rest(), readBlock)
      const hasTokens = tellsTokens(frame["usage"])
      // The output tokens reported at the start are not the total.
      const before = read.usage && { ...read.usage, outputTokens: Number.NaN }
      const usage = hasTokens ? readUsage(frame["usage"], before) : read.usage
      const reason = finishReason(told, read) ?? read.reason
      const unknown = unknownReason(isUnknown(told), told)
      const stopSequence = textAt(delta, "stop_sequence") ?? read.stopSequence
      const total = hasTokens && usage !== undefined ? [{ type: "usage", usage } as const] : []
      return [{ ...read, ...unknown, usage, reason, stopSequence }, [...rest, ...total]]
    }
    case "message_stop": {
      const [read, rest] = readAll(state, state.order.rest(), readBlock)
      return [{ ...read, over: true }, [...rest, ...finished(read, "stop")]]
    }
    case "error":
      return [{ ...state, over: true }, [failedWith(frame["error"])]]
    default:
      return [state, []]
  }
}

const readBlock = (state: MessagesState, frame: JsonObject): Step => {
  switch (frame["type"]) {
    case "content_block_start": {
      const content = objectAt(frame, "content_block")
      return content === undefined ? [state, []] : startBlock(state, content)
    }
    case "content_block_delta": {
      const delta = objectAt(frame, "delta")
      return delta === undefined ? [state, []] : stepBlock(state, delta)
    }
    default:
      return endBlock(state)
  }
}

/** A stream that ends after its stop reason lacks only its last frame. */
export const end = (state: MessagesState): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  return state.reason === undefined ? [{ type: "failed", failure: cutOff }] : finished(state, state.reason)
}

/** A whole message as the frames that would have streamed it. */
export const frames = (message: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (message["type"] === "error") return [message]
  const content = message["content"]
  if (!Array.isArray(content) || !content.every((block) => textAt(block, "type") !== undefined)) return undefined
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

const finished = (state: MessagesState, otherwise: FinishReason): ReadonlyArray<GenerationEvent> => {
  const reason = state.reason ?? otherwise
  // If the upstream reports a cut, a cut call is no error.
  const mayCut = reason === "max-tokens" || reason === "context-exceeded"
  if (state.isCut && !mayCut) return [{ type: "failed", failure: cutCall }]
  const bare = state.bare === undefined || mayCut ? [] : endBare(state.bare)
  const unknown = unknownReason(true, state.unknownReason)
  return [
    ...(state.beside?.given() ?? []),
    ...bare,
    { type: "finished", reason, stopSequence: state.stopSequence, ...unknown }
  ]
}

const reasons: ReadonlySet<string> = new Set([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "compaction",
  "model_context_window_exceeded"
])

const isUnknown = (reason: string | undefined): boolean => reason !== undefined && !reasons.has(reason)

const finishReason = (reason: string | undefined, state: MessagesState): FinishReason | undefined => {
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
