import type { Failure } from "../contract/failures/Failure.ts"
import type { FinishReason, GenerationEvent, Usage } from "./GenerationEvent.ts"
import { noUsage } from "./GenerationEvent.ts"
import { Lanes } from "./Lanes.ts"
import type { ItemEvent } from "./Lanes.ts"

/**
 * Puts a generation's events in order: `started` once and first, then items one after the other (`open`, any number of
 * `delta` and `citation`, `close`), then `finished` or `failed` once and last. Items that an upstream interleaves
 * (parallel tool calls by index) are held back until the item before them is closed. Every family's encoder builds on
 * this, so that none can emit a malformed stream.
 */
export type SequencedEvent =
  | { readonly type: "started"; readonly usage: Usage }
  | ItemEvent
  | {
      readonly type: "finished"
      readonly reason: FinishReason
      readonly stopSequence: string | null
      readonly serviceTier?: string
      readonly usage: Usage
    }
  /** An item may still be open and stays incomplete. */
  | { readonly type: "failed"; readonly failure: Failure; readonly usage: Usage }

export interface State {
  readonly phase: "before" | "running" | "over"
  /** Mutable: after a step, the old state may only be used to fail the generation. */
  readonly lanes: Lanes
  /** True if the caller has to run a tool. */
  readonly called: boolean
  readonly usage: Usage
}

export const initial: State = { phase: "before", lanes: new Lanes(), called: false, usage: noUsage }

const none: ReadonlyArray<SequencedEvent> = []

export const step = (state: State, event: GenerationEvent): readonly [State, ReadonlyArray<SequencedEvent>] => {
  if (state.phase === "over") return [state, none]
  if (state.phase === "before") return begin(state, event)
  const { lanes } = state
  switch (event.type) {
    case "started":
    case "passthrough":
    case "tool-call-signed":
      return [state, none]
    case "usage":
      return [{ ...state, usage: event.usage }, none]
    case "text-start":
      return [state, lanes.open({ type: "text" })]
    case "text-delta":
      return [state, lanes.write("text", event.text, event.logprobs)]
    case "refusal-delta":
      return [state, lanes.write("refusal", event.text)]
    case "reasoning-start":
      return [state, lanes.open({ type: "reasoning" })]
    case "reasoning-delta":
      return [state, lanes.write("reasoning", event.text)]
    case "text-end":
      return [state, lanes.endLoose("text")]
    case "reasoning-end":
      return [state, endReasoning(lanes, event.signature)]
    case "citation":
      return [state, lanes.cite(event.citation)]
    case "redacted-reasoning":
    case "image":
      return [state, lanes.tell(event)]
    case "tool-call-start": {
      const { callId, kind, name } = event
      const events = lanes.start(callId, { type: "tool-call", callId, name, kind })
      return [state.called ? state : { ...state, called: true }, events]
    }
    case "tool-call-delta":
      return [state, lanes.writeCall(event.callId, event.text)]
    case "tool-call-end":
      return [state, lanes.end("tool-call", event.callId)]
    case "search-start":
      return [state, lanes.start(event.id, { type: "search", id: event.id, query: event.query })]
    case "search-end":
      return [state, lanes.end("search", event.id, { outcome: event.outcome })]
    case "server-tools":
    case "approval-asked":
      return [state, lanes.tell(event)]
    case "server-call-start":
      return [state, lanes.start(event.id, { ...event, type: "server-call" })]
    case "server-call-delta":
      return [state, lanes.writeCall(event.id, event.text)]
    case "server-call-written":
      return [state, lanes.written(event.id)]
    case "server-call-end":
      return [state, lanes.end("server-call", event.id, { result: event.result })]
    case "finished":
      return finish(state, event)
    case "failed":
      return [{ ...state, phase: "over" }, [{ type: "failed", failure: event.failure, usage: state.usage }]]
  }
}

/** A signature without readable reasoning is an item too, so that the client can replay it. */
const endReasoning = (lanes: Lanes, signature: string | undefined): ReadonlyArray<SequencedEvent> => {
  if (signature === undefined || lanes.isOpen("reasoning")) return lanes.endLoose("reasoning", { signature })
  return [...lanes.open({ type: "reasoning" }), ...lanes.endLoose("reasoning", { signature })]
}

/** The first event of any kind starts the generation. */
const begin = (state: State, event: GenerationEvent): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const usage = event.type === "started" || event.type === "usage" ? (event.usage ?? state.usage) : state.usage
  const running: State = { ...state, phase: "running", lanes: new Lanes(), usage }
  const started: SequencedEvent = { type: "started", usage }
  if (event.type === "started" || event.type === "usage") return [running, [started]]
  const [next, events] = step(running, event)
  return [next, [started, ...events]]
}

const finish = (
  state: State,
  { reason, serviceTier, stopSequence }: Extract<GenerationEvent, { readonly type: "finished" }>
): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const last: SequencedEvent = {
    type: "finished",
    reason: honest(reason, state.called),
    stopSequence,
    ...(serviceTier !== undefined && { serviceTier }),
    usage: state.usage
  }
  return [{ ...state, phase: "over" }, [...state.lanes.finish(), last]]
}

/** Some upstreams report `stop` after a tool call (Ollama, vLLM with `required`), or `tool_calls` without one. */
const honest = (reason: FinishReason, called: boolean): FinishReason => {
  if (reason === "stop" && called) return "tool-calls"
  return reason === "tool-calls" && !called ? "stop" : reason
}
