import type { JsonObject } from "../../../contract/fields.ts"
import { UpstreamFailed } from "../../../contract/Failure.ts"
import type { FinishReason, GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import { isObject, listAt, objectAt, textAt } from "../json.ts"
import { cutOff, errorInAnswer } from "../upstreamFailure.ts"
import type { Calls } from "./calls.ts"
import { endCalls, noCalls, stepCall } from "./calls.ts"
import { readUsage } from "./usage.ts"

export interface State {
  readonly back: Back
  readonly started: boolean
  /** The upstream's id of the answer; empty where it gives none. */
  readonly answerId: string
  readonly calls: Calls
  /** As the upstream says it; undefined until it does. */
  readonly finish: string | undefined
  readonly stopSequence: string | null
  readonly over: boolean
}

type Step = readonly [State, ReadonlyArray<GenerationEvent>]

export const begin = (back: Back): State => ({
  back,
  started: false,
  answerId: "",
  calls: noCalls,
  finish: undefined,
  stopSequence: null,
  over: false
})

/** One chunk of a stream. Usage may be on any of them, the last one counts; only the first choice is read. */
export const step = (state: State, chunk: JsonObject): Step => {
  if (state.over) return [state, []]
  const error = chunk["error"]
  if (error !== undefined && error !== null) {
    return [{ ...state, over: true }, [{ type: "failed", failure: errorInAnswer(error) }]]
  }
  const events: Array<GenerationEvent> = []
  let next = state
  if (!state.started) {
    next = { ...next, started: true, answerId: textAt(chunk, "id") ?? "" }
    events.push({ type: "started", usage: undefined })
  }
  const choice = listAt(chunk, "choices")[0]
  const delta = objectAt(choice, "delta")
  if (delta !== undefined) next = readDelta(next, delta, events)
  const finish = textAt(choice, "finish_reason")
  // vLLM names the stop sequence it hit; a number there is a token's id.
  if (finish !== undefined) next = { ...next, finish, stopSequence: textAt(choice, "stop_reason") ?? null }
  const usage = readUsage(chunk["usage"])
  if (usage !== undefined) events.push({ type: "usage", usage })
  return [next, events]
}

/** The stream's end. `[DONE]` alone ends an answer too: some servers give no reason. */
export const end = (state: State, marked: boolean): ReadonlyArray<GenerationEvent> => {
  if (state.over) return []
  if (state.finish === undefined && !marked) return [{ type: "failed", failure: cutOff }]
  if (state.finish === "error" || state.finish === "insufficient_system_resource") {
    return [{ type: "failed", failure: new UpstreamFailed({}) }]
  }
  const reason: FinishReason = state.stopSequence === null ? finishReason(state.finish) : "stop-sequence"
  return [...endCalls(state.calls, state.back), { type: "finished", reason, stopSequence: state.stopSequence }]
}

/** A whole answer as the one chunk that would have said it. */
export const frames = (answer: JsonObject): ReadonlyArray<JsonObject> | undefined => {
  if (isObject(answer["error"])) return [answer]
  const choice = listAt(answer, "choices")[0]
  if (!isObject(choice)) return undefined
  return [{ ...answer, choices: [{ ...choice, delta: choice["message"] }] }]
}

/** `stop` after tool calls is set right where events are put in order. */
const finishReason = (finish: string | undefined): FinishReason => {
  switch (finish) {
    case "length":
      return "max-tokens"
    case "tool_calls":
    case "function_call":
      return "tool-calls"
    case "content_filter":
      return "refusal"
    default:
      return "stop"
  }
}

const readDelta = (state: State, delta: JsonObject, events: Array<GenerationEvent>): State => {
  // Two names for one thing: the older and the newer one, sometimes both at once.
  const reasoning = textAt(delta, "reasoning_content") || textAt(delta, "reasoning")
  if (reasoning) events.push({ type: "reasoning-delta", text: reasoning })
  readContent(delta["content"], events)
  const refusal = textAt(delta, "refusal")
  if (refusal) events.push({ type: "refusal-delta", text: refusal })
  const legacy = objectAt(delta, "function_call")
  const calls = legacy === undefined ? listAt(delta, "tool_calls") : [{ index: 0, function: legacy }]
  if (calls.length === 0) return state
  let next = state.calls
  for (const call of calls) {
    if (isObject(call)) next = stepCall(next, call, state, events)
  }
  return { ...state, calls: next }
}

/** Text, or (Mistral) a list of text and thinking parts. */
const readContent = (content: unknown, events: Array<GenerationEvent>): void => {
  if (typeof content === "string") {
    if (content !== "") events.push({ type: "text-delta", text: content })
    return
  }
  if (!Array.isArray(content)) return
  for (const part of content) {
    const text = textAt(part, "text")
    if (text) events.push({ type: "text-delta", text })
    for (const thought of listAt(part, "thinking")) {
      const text = textAt(thought, "text")
      if (text) events.push({ type: "reasoning-delta", text })
    }
  }
}
