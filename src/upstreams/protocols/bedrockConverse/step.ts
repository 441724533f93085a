import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { UpstreamFailed } from "../../../contract/failures/Failure.ts"
import type { GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import { hourly, noUsage } from "../../../generation/GenerationEvent.ts"
import { awsErrorOf, awsTypeIn } from "../awsErrors.ts"
import type { Back } from "../back.ts"
import { besideAnswer } from "../BesideAnswer.ts"
import { BlockOrder, readAll } from "../BlockOrder.ts"
import { endBare } from "../callBlocks.ts"
import { TakenIds } from "../callIds.ts"
import { finishReasonOf } from "../openaiChat/finishReasons.ts"
import { cutCall, cutOff, failedWith, unknownReason } from "../upstreamFailure.ts"
import { endBlock, startBlock, stepBlock } from "./blocks.ts"
import type { ConverseState, Step } from "./state.ts"

export const begin = (back: Back): ConverseState => ({
  back,
  calls: new TakenIds(),
  order: new BlockOrder(),
  block: undefined,
  bare: undefined,
  isCut: false,
  written: 0,
  answeredByTool: false,
  beside: besideAnswer(back.answerTool),
  reason: undefined,
  stopSequence: null,
  usage: undefined,
  over: false
})

/** One event of a stream: an object with its name as the only key. Unknown ones yield nothing. */
export const step = (state: ConverseState, frame: JsonObject): Step => {
  if (state.over) return [state, []]
  if (frame["type"] === "error") return [{ ...state, over: true }, [failedWith(frame["error"])]]
  const [name, event] = Object.entries(frame)[0] ?? []
  switch (name) {
    case "messageStart":
      return [state, [{ type: "started", usage: undefined }]]
    case "contentBlockStart":
    case "contentBlockDelta":
    case "contentBlockStop": {
      const ends = name === "contentBlockStop"
      // A block of text begins with its first delta.
      const taken = { frame, index: numberAt(event, "contentBlockIndex"), begins: !ends, ends }
      return readAll(state, state.order.take(taken), readBlock)
    }
    case "messageStop": {
      const [read, events] = readAll(state, state.order.rest(), readBlock)
      // A text that did not stop may hold something back.
      const [after, rest] = read.block?.type === "text" ? endBlock(read) : ([read, []] as const)
      return [stopped(after, event), [...events, ...rest]]
    }
    case "metadata": {
      const usage = readUsage(objectAt(event, "usage"))
      // Without a stop reason, the answer is not over: one that is cut after this would seem complete.
      const over = state.reason !== undefined
      const after = { ...state, usage, over }
      const tier = textAt(objectAt(event, "serviceTier"), "type")
      const used = usage === undefined ? [] : [{ type: "usage", usage } as const]
      return [after, over ? [...used, ...finished(after, tier)] : used]
    }
    default:
      return [state, []]
  }
}

const readBlock = (state: ConverseState, frame: JsonObject): Step => {
  const start = objectAt(frame, "contentBlockStart")
  if (start !== undefined) return startBlock(state, objectAt(start, "start") ?? {})
  const delta = objectAt(frame, "contentBlockDelta")
  return delta === undefined ? endBlock(state) : stepBlock(state, objectAt(delta, "delta") ?? {})
}

/** A stream that ends after its stop reason lacks only its usage. */
export const end = (state: ConverseState): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  return state.reason === undefined ? [{ type: "failed", failure: cutOff }] : finished(state)
}

/** A whole answer as the events that would have streamed it. */
export const frames = (answer: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  // A 200 may carry an error, for an address that AWS does not know.
  if (awsTypeIn(answer) !== undefined) return [awsErrorOf("", answer)]
  const message = objectAt(objectAt(answer, "output"), "message")
  if (message === undefined || !Array.isArray(message["content"])) return undefined
  const { additionalModelResponseFields, serviceTier, stopReason, usage } = answer
  return [
    { messageStart: { role: "assistant" } },
    ...listAt(message, "content").flatMap((block, contentBlockIndex) =>
      isObject(block) ? blockFrames(block, contentBlockIndex) : []
    ),
    { messageStop: { stopReason, additionalModelResponseFields } },
    { metadata: { usage, serviceTier } }
  ]
}

const blockFrames = (block: JsonObject, contentBlockIndex: number): ReadonlyArray<JsonObject> => {
  const call = objectAt(block, "toolUse")
  const start = call === undefined ? [] : [{ contentBlockStart: { contentBlockIndex, start: { toolUse: call } } }]
  return [
    ...start,
    ...deltas(block).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
    { contentBlockStop: { contentBlockIndex } }
  ]
}

const deltas = (block: JsonObject): ReadonlyArray<JsonObject> => {
  const text = textAt(block, "text")
  if (text !== undefined) return [{ text }]
  const call = objectAt(block, "toolUse")
  if (call !== undefined) return [{ toolUse: { input: JSON.stringify(call["input"] ?? {}) } }]
  const reasoning = objectAt(block, "reasoningContent")
  if (reasoning !== undefined) {
    const { signature, text } = objectAt(reasoning, "reasoningText") ?? {}
    if (text === undefined) return [{ reasoningContent: reasoning }]
    const signed = signature === undefined ? [] : [{ reasoningContent: { signature } }]
    return [{ reasoningContent: { text } }, ...signed]
  }
  const cited = objectAt(block, "citationsContent")
  return [...listAt(cited, "content").filter(isObject), ...listAt(cited, "citations").map((citation) => ({ citation }))]
}

const stopped = (state: ConverseState, event: unknown): ConverseState => {
  const told = textAt(event, "stopReason") ?? ""
  const reason = told === "stop_sequence" ? "stop-sequence" : finishReasonOf(told)
  return {
    ...state,
    reason: reason === "tool-calls" && state.answeredByTool ? "stop" : (reason ?? "stop"),
    stopSequence: textAt(objectAt(event, "additionalModelResponseFields"), "stop_sequence") ?? null,
    ...unknownReason(reason === undefined, told)
  }
}

/** Input tokens leave out those that were read from a cache or written to one. */
const readUsage = (usage: JsonObject | undefined): Usage | undefined => {
  const [inputTokens, outputTokens] = [countAt(usage, "inputTokens"), countAt(usage, "outputTokens")]
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const forAnHour = listAt(usage, "cacheDetails")
    .filter((detail) => textAt(detail, "ttl") === "1h")
    .reduce((sum: number, detail) => sum + (countAt(detail, "inputTokens") ?? 0), 0)
  return {
    ...noUsage,
    inputTokens: inputTokens ?? Number.NaN,
    outputTokens: outputTokens ?? Number.NaN,
    cacheReadTokens: countAt(usage, "cacheReadInputTokens") ?? 0,
    cacheWriteTokens: countAt(usage, "cacheWriteInputTokens") ?? 0,
    // An invalid count leaves the other fields valid.
    ...hourly(forAnHour || 0)
  }
}

const finished = (state: ConverseState, serviceTier?: string): ReadonlyArray<GenerationEvent> => {
  const { reason = "stop", stopSequence, unknownReason } = state
  if (reason === "failed") return [{ type: "failed", failure: new UpstreamFailed({}), said: "malformed output" }]
  // If the upstream reports a cut, a cut call is no error.
  const mayCut = reason === "max-tokens" || reason === "context-exceeded"
  if (state.isCut && !mayCut) return [{ type: "failed", failure: cutCall }]
  const bare = state.bare === undefined || mayCut ? [] : endBare(state.bare)
  return [
    ...(state.beside?.given() ?? []),
    ...bare,
    {
      type: "finished",
      reason,
      stopSequence,
      ...(serviceTier !== undefined && { serviceTier }),
      ...(unknownReason !== undefined && { unknownReason })
    }
  ]
}
