import type { Failure } from "../contract/Failure.ts"
import type { Citation, SearchOutcome } from "./Conversation.ts"
import type { FinishReason, GenerationEvent, Usage } from "./GenerationEvent.ts"
import { noUsage } from "./GenerationEvent.ts"

/**
 * Puts a generation's events in order, whatever order an upstream gave them in: `started` once and first, then items one
 * after the other (`open`, any number of `delta` and `citation`, `close`), then `finished` or `failed` once and last.
 * Items that an upstream interleaves (parallel tool calls by index) wait, with what they have got, until the item before
 * them is closed. Both families' encoders stand on this, so neither can emit a malformed stream.
 */
export type SequencedEvent =
  | { readonly type: "started"; readonly usage: Usage }
  | { readonly type: "open"; readonly item: OpenItem }
  | { readonly type: "delta"; readonly text: string }
  | { readonly type: "citation"; readonly citation: Citation }
  | {
      readonly type: "close"
      readonly signature: string | undefined
      readonly outcome: SearchOutcome | undefined
      /** The upstream never ended it; the generation's end did. */
      readonly isCut: boolean
    }
  | {
      readonly type: "finished"
      readonly reason: FinishReason
      readonly stopSequence: string | null
      readonly usage: Usage
    }
  /** An item may still be open: it stays incomplete. */
  | { readonly type: "failed"; readonly failure: Failure; readonly usage: Usage }

export type OpenItem =
  | { readonly type: "text" }
  | { readonly type: "refusal" }
  | { readonly type: "reasoning" }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  | {
      readonly type: "tool-call"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  | { readonly type: "search"; readonly id: string; readonly query: string }

/** An item that has begun. The first of the queue is live; the others gather what comes for them. */
interface Lane {
  readonly item: OpenItem
  readonly waiting: ReadonlyArray<SequencedEvent>
  readonly ended: boolean
  readonly signature: string | undefined
  readonly outcome: SearchOutcome | undefined
  readonly isCut: boolean
}

export interface State {
  readonly phase: "before" | "running" | "over"
  readonly lanes: ReadonlyArray<Lane>
  /** Ids that have begun, so that a repeated start changes nothing. */
  readonly seen: ReadonlyArray<string>
  /** Whether the caller is asked to run a tool. */
  readonly called: boolean
  readonly usage: Usage
}

export const initial: State = { phase: "before", lanes: [], seen: [], called: false, usage: noUsage }

const none: ReadonlyArray<SequencedEvent> = []
const noLanes: ReadonlyArray<Lane> = []

export const step = (state: State, event: GenerationEvent): readonly [State, ReadonlyArray<SequencedEvent>] => {
  if (state.phase === "over") return [state, none]
  if (state.phase === "before") return begin(state, event)
  switch (event.type) {
    case "started":
    case "native":
    case "tool-call-signed":
      return [state, none]
    case "usage":
      return [{ ...state, usage: event.usage }, none]
    case "text-start":
      return open(state, { type: "text" })
    case "text-delta":
      return write(state, "text", isOpenText, event.text)
    case "refusal-delta":
      return write(state, "refusal", isOpenRefusal, event.text)
    case "reasoning-start":
      return open(state, { type: "reasoning" })
    case "reasoning-delta":
      return write(state, "reasoning", isOpenReasoning, event.text)
    case "text-end":
      return end(state, isOpenText, {})
    case "reasoning-end":
      return endReasoning(state, event.signature)
    case "citation":
      return push(state, isOpenText, { type: "citation", citation: event.citation })
    case "redacted-reasoning":
      return open(state, { type: "redacted-reasoning", data: event.data }, true)
    case "tool-call-start":
      return state.seen.includes(event.callId)
        ? [state, none]
        : open(
            { ...state, seen: [...state.seen, event.callId], called: true },
            { type: "tool-call", callId: event.callId, name: event.name, kind: event.kind }
          )
    case "tool-call-delta":
      return event.text === "" ? [state, none] : push(state, isCall(event.callId), { type: "delta", text: event.text })
    case "tool-call-end":
      return end(state, isCall(event.callId), {})
    case "search-start":
      return state.seen.includes(event.id)
        ? [state, none]
        : open({ ...state, seen: [...state.seen, event.id] }, { type: "search", id: event.id, query: event.query })
    case "search-end":
      return end(state, isSearch(event.id), { outcome: event.outcome })
    case "finished":
      return finish(state, event.reason, event.stopSequence)
    case "failed":
      return [{ ...state, phase: "over", lanes: [] }, [{ type: "failed", failure: event.failure, usage: state.usage }]]
  }
}

/** Whatever comes first starts the generation; a failure before anything else starts it too. */
const begin = (state: State, event: GenerationEvent): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const usage = event.type === "started" || event.type === "usage" ? (event.usage ?? state.usage) : state.usage
  const running: State = { ...state, phase: "running", usage }
  const started: SequencedEvent = { type: "started", usage }
  if (event.type === "started" || event.type === "usage") return [running, [started]]
  const [next, events] = step(running, event)
  return [next, [started, ...events]]
}

type Match = (lane: Lane) => boolean
const isOpen =
  (type: OpenItem["type"]): Match =>
  (lane) =>
    !lane.ended && lane.item.type === type
const isOpenText = isOpen("text")
const isOpenRefusal = isOpen("refusal")
const isOpenReasoning = isOpen("reasoning")
const isCall =
  (callId: string): Match =>
  (lane) =>
    !lane.ended && lane.item.type === "tool-call" && lane.item.callId === callId
const isSearch =
  (id: string): Match =>
  (lane) =>
    !lane.ended && lane.item.type === "search" && lane.item.id === id

/** Text, refusals and reasoning have no ids: whatever begins next ends them. Calls and searches wait for their end. */
const endsImplicitly = (lane: Lane) =>
  !lane.ended && (lane.item.type === "text" || lane.item.type === "refusal" || lane.item.type === "reasoning")

const open = (state: State, item: OpenItem, ended = false): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const opening: SequencedEvent = { type: "open", item }
  // Mostly nothing else is open, and the item goes on at once.
  if (state.lanes.length === 0 && !ended) return [{ ...state, lanes: [laneOf(item, none, false)] }, [opening]]
  const lanes = state.lanes.map((lane) => (endsImplicitly(lane) ? { ...lane, ended: true } : lane))
  return flush({ ...state, lanes: [...lanes, laneOf(item, [opening], ended)] })
}

const laneOf = (item: OpenItem, waiting: ReadonlyArray<SequencedEvent>, ended: boolean): Lane => ({
  item,
  waiting,
  ended,
  signature: undefined,
  outcome: undefined,
  isCut: false
})

const write = (
  state: State,
  type: "text" | "refusal" | "reasoning",
  isOpen: Match,
  text: string
): readonly [State, ReadonlyArray<SequencedEvent>] => {
  if (text === "") return [state, none]
  const delta: SequencedEvent = { type: "delta", text }
  // Nearly all of a stream.
  if (state.lanes[0] !== undefined && isOpen(state.lanes[0])) return [state, [delta]]
  if (state.lanes.some(isOpen)) return push(state, isOpen, delta)
  const [opened, before] = open(state, { type })
  const [next, after] = push(opened, isOpen, delta)
  return [next, [...before, ...after]]
}

const push = (state: State, match: Match, event: SequencedEvent): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const index = state.lanes.findIndex(match)
  const lane = state.lanes[index]
  if (lane === undefined) return [state, none]
  if (index === 0) return [state, [event]]
  return [{ ...state, lanes: state.lanes.with(index, { ...lane, waiting: [...lane.waiting, event] }) }, none]
}

const end = (
  state: State,
  match: Match,
  closing: { readonly signature?: string | undefined; readonly outcome?: SearchOutcome }
): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const index = state.lanes.findIndex(match)
  const lane = state.lanes[index]
  if (lane === undefined) return [state, none]
  if (index === 0 && state.lanes.length === 1) {
    const { outcome = lane.outcome, signature = lane.signature } = closing
    return [{ ...state, lanes: noLanes }, [{ type: "close", signature, outcome, isCut: lane.isCut }]]
  }
  return flush({ ...state, lanes: state.lanes.with(index, { ...lane, ...closing, ended: true }) })
}

/** A signature without readable reasoning is an item too: the client must be able to replay it. */
const endReasoning = (state: State, signature: string | undefined) => {
  if (signature === undefined || state.lanes.some(isOpenReasoning)) {
    return end(state, isOpenReasoning, { signature })
  }
  const [opened, before] = open(state, { type: "reasoning" })
  const [next, after] = end(opened, isOpenReasoning, { signature })
  return [next, [...before, ...after]] as const
}

/** Emits what the first lane holds; closes it if it has ended, and goes on with the next one. */
const flush = (state: State): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const events: Array<SequencedEvent> = []
  let lanes = state.lanes
  for (;;) {
    const lane = lanes[0]
    if (lane === undefined) break
    events.push(...lane.waiting)
    if (!lane.ended) {
      lanes = lanes.with(0, { ...lane, waiting: [] })
      break
    }
    events.push({ type: "close", signature: lane.signature, outcome: lane.outcome, isCut: lane.isCut })
    lanes = lanes.slice(1)
  }
  return [{ ...state, lanes }, events]
}

const finish = (
  state: State,
  reason: FinishReason,
  stopSequence: string | null
): readonly [State, ReadonlyArray<SequencedEvent>] => {
  const last: SequencedEvent = {
    type: "finished",
    reason: honest(reason, state.called),
    stopSequence,
    usage: state.usage
  }
  if (state.lanes.length === 0) return [{ ...state, phase: "over" }, [last]]
  const lanes = state.lanes.map((lane) =>
    lane.ended ? lane : { ...lane, ended: true, isCut: true, outcome: lane.outcome ?? unanswered(lane.item) }
  )
  const [next, events] = flush({ ...state, lanes })
  return [{ ...next, phase: "over" }, [...events, last]]
}

const unanswered = (item: OpenItem): SearchOutcome | undefined =>
  item.type === "search" ? { type: "error", code: "unavailable" } : undefined

/** Some upstreams say `stop` after a tool call (Ollama, vLLM with `required`) and `tool_calls` without one. */
const honest = (reason: FinishReason, called: boolean): FinishReason => {
  if (reason === "stop" && called) return "tool-calls"
  return reason === "tool-calls" && !called ? "stop" : reason
}
