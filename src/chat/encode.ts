import type { JsonObject } from "../contract/fields.ts"
import { appendText } from "../generation/appendText.ts"
import type { Citation } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { Logprobs, Usage } from "../generation/GenerationEvent.ts"
import type { Machine, PassthroughFrame } from "../generation/Machine.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import * as Sequence from "../generation/sequence.ts"
import type { Delta, Head, ToolCallDelta, Writer } from "./chunks.ts"
import { endFrames, failureFrame, logprobsOf, writer, passthroughFrame } from "./chunks.ts"
import type {
  Annotation,
  AnswerMessage,
  ChatCompletion,
  Choice,
  FinishReason,
  MadeImage,
  ToolCall
} from "./Completion.ts"
import { finishOf } from "./finishOf.ts"
import type { Place } from "./reasoning.ts"
import { redactedReasoning, sealReasoning } from "./reasoning.ts"
import { usageOf } from "./usage.ts"

export interface Options {
  readonly head: Head
  /** The index among the `n` answers. */
  readonly index: number
  /** True if usage and `[DONE]` follow. */
  readonly isWhole: boolean
  /** True if calls are written as `function_call`. */
  readonly isLegacy: boolean
}

export interface State {
  readonly sequence: Sequence.State
  /** Without its lists. */
  readonly message: AnswerMessage
  /** The calls that have ended. */
  readonly calls: GrowingList<ToolCall>
  readonly annotations: GrowingList<Annotation>
  readonly images: GrowingList<MadeImage>
  readonly reasoning: GrowingList<JsonObject>
  readonly logprobs: GrowingList<JsonObject>
  readonly serviceTier: string | undefined
  readonly finish: FinishReason | undefined
  readonly usage: Usage
  readonly open: Open | undefined
}

/** The open item. */
interface Open {
  readonly item: OpenItem
  /** The offset of a text within the message's content. */
  readonly start: number
  /** The text so far, of reasoning or of a call. */
  readonly text: string
  /** False for calls after the first in the legacy form, which has only one. */
  readonly isTold: boolean
}

/**
 * Turns generation events into the chunks of a chat completion (docs/api.md#completion-streams). The final state has
 * the whole answer.
 */
export const machine = (options: Options): Machine<State, PassthroughFrame> => {
  const write = writer(options.head, options.index)
  return {
    initial: {
      sequence: Sequence.initial,
      message: { role: "assistant", content: null, refusal: null },
      calls: GrowingList.empty(),
      annotations: GrowingList.empty(),
      images: GrowingList.empty(),
      reasoning: GrowingList.empty(),
      logprobs: GrowingList.empty(),
      serviceTier: undefined,
      finish: undefined,
      usage: noUsage,
      open: undefined
    },
    step: (state, event) => {
      const [sequence, events] = Sequence.step(state.sequence, event)
      const draft: Draft = { ...state, sequence }
      if (events.length === 0) return [draft, noFrames]
      const frames: Array<PassthroughFrame> = []
      for (const one of events) apply(draft, one, frames, write, options)
      return [draft, frames]
    }
  }
}

const noFrames: ReadonlyArray<PassthroughFrame> = []

/** A mutable copy of the state during one step. */
type Draft = { -readonly [K in keyof State]: State[K] }

const apply = (
  draft: Draft,
  event: Sequence.SequencedEvent,
  frames: Array<PassthroughFrame>,
  write: Writer,
  options: Options
): void => {
  switch (event.type) {
    case "started":
      frames.push(write.delta({ role: "assistant", content: "" }))
      return
    case "open":
      return tell(draft, open(draft, event.item, options), frames, write)
    case "delta":
      for (const one of event.logprobs ?? []) draft.logprobs = draft.logprobs.with(one)
      return tell(draft, grown(draft, event.text, options), frames, write, event.logprobs)
    case "citation":
      return tell(draft, cited(draft, event.citation), frames, write)
    case "close":
      return tell(draft, closed(draft, event.signature, options), frames, write)
    case "finished": {
      const finish = finishOf(event.reason, draft.message)
      draft.finish = finish
      draft.usage = event.usage
      draft.serviceTier = event.serviceTier
      frames.push(write.finish(finish, event.serviceTier))
      if (options.isWhole) frames.push(passthroughFrame(endFrames(options.head, usageOf(event.usage))))
      return
    }
    case "failed":
      draft.usage = event.usage
      frames.push(failureFrame(event.failure))
  }
}

const tell = (
  draft: Draft,
  delta: Delta | undefined,
  frames: Array<PassthroughFrame>,
  write: Writer,
  logprobs?: Logprobs
): void => {
  if (delta === undefined) return
  add(draft, delta)
  frames.push(write.delta(delta, logprobs))
}

const open = (draft: Draft, item: OpenItem, { head, isLegacy }: Options): Delta | undefined => {
  const isTold = !isLegacy || draft.message.function_call === undefined
  draft.open = { item, start: draft.message.content?.length ?? 0, text: "", isTold }
  switch (item.type) {
    case "redacted-reasoning":
      return { reasoning_details: [redactedReasoning(head.model, item.data, placeIn(draft))] }
    case "image": {
      const url = `data:${item.mediaType};base64,${item.data}`
      return { images: [{ type: "image_url", index: draft.images.length, image_url: { url } }] }
    }
    case "tool-call":
      return isTold ? called(draft.calls.length, item, isLegacy) : undefined
    case "server-call":
      // The answer is the model's last words. The dialect has no place for what led to them.
      draft.message = { ...draft.message, content: null }
      draft.annotations = GrowingList.empty()
      draft.logprobs = GrowingList.empty()
      draft.reasoning = GrowingList.empty()
      return undefined
    default:
      return undefined
  }
}

type Call = Extract<OpenItem, { readonly type: "tool-call" }>

/** The first delta of a call. */
const called = (index: number, { callId: id, kind, name }: Call, isLegacy: boolean): Delta => {
  if (isLegacy) return { function_call: { name, arguments: "" } }
  const call: ToolCallDelta =
    kind === "custom"
      ? { index, id, type: "custom", custom: { name, input: "" } }
      : { index, id, type: "function", function: { name, arguments: "" } }
  return { tool_calls: [call] }
}

const grown = (draft: Draft, text: string, { isLegacy }: Options): Delta | undefined => {
  const { open } = draft
  switch (open?.item.type) {
    case "text":
      return { content: text }
    case "refusal":
      return { refusal: text }
    case "reasoning":
      draft.open = { ...open, text: appendText(open.text, text) }
      return { reasoning_content: text }
    case "tool-call": {
      if (!open.isTold) return undefined
      if (isLegacy) return { function_call: { arguments: text } }
      draft.open = { ...open, text: appendText(open.text, text) }
      const index = draft.calls.length
      return open.item.kind === "custom"
        ? { tool_calls: [{ index, custom: { input: text } }] }
        : { tool_calls: [{ index, function: { arguments: text } }] }
    }
    default:
      return undefined
  }
}

const cited = ({ open }: Draft, citation: Citation): Delta | undefined => {
  if (open?.item.type !== "text") return undefined
  const annotation: Annotation = {
    type: "url_citation",
    url_citation: {
      start_index: open.start + citation.start,
      end_index: open.start + citation.end,
      url: citation.url,
      title: citation.title
    }
  }
  return { annotations: [annotation] }
}

/** Signed reasoning is repeated whole with its signature, so that the client can return it. */
const closed = (draft: Draft, signature: string | undefined, { head, isLegacy }: Options): Delta | undefined => {
  const { open } = draft
  draft.open = undefined
  if (open?.item.type === "tool-call" && !isLegacy) draft.calls = draft.calls.with(callOf(open.item, open.text))
  if (open?.item.type !== "reasoning" || signature === undefined) return undefined
  return { reasoning_details: [sealReasoning(head.model, open.text, signature, placeIn(draft))] }
}

/** The content and the calls so far, so that thinking between them keeps its place. */
const placeIn = ({ calls, message }: Draft): Place => ({
  content: message.content?.length ?? 0,
  tool_calls: calls.length
})

/** Adds a delta to the message as clients do. A call is added once it is complete. */
const add = (draft: Draft, delta: Delta): void => {
  const { message } = draft
  if (delta.content !== undefined) {
    draft.message = { ...message, content: appendText(message.content ?? "", delta.content) }
  } else if (delta.reasoning_content !== undefined) {
    const reasoning_content = appendText(message.reasoning_content ?? "", delta.reasoning_content)
    draft.message = { ...message, reasoning_content }
  } else if (delta.refusal !== undefined) {
    draft.message = { ...message, refusal: appendText(message.refusal ?? "", delta.refusal) }
  } else if (delta.function_call !== undefined) {
    const { arguments: text, name = "" } = delta.function_call
    const known = message.function_call ?? { name, arguments: "" }
    draft.message = { ...message, function_call: { ...known, arguments: appendText(known.arguments, text) } }
  }
  for (const annotation of delta.annotations ?? []) draft.annotations = draft.annotations.with(annotation)
  for (const image of delta.images ?? []) draft.images = draft.images.with(image)
  for (const details of delta.reasoning_details ?? []) draft.reasoning = draft.reasoning.with(details)
}

const callOf = ({ callId: id, kind, name }: Call, text: string): ToolCall =>
  kind === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } }

/** One generation as a choice of the completion. */
export const choiceOf = (state: State, index: number): Choice => {
  const { finish = "stop" } = state
  const message = messageOf(state)
  const saysMore = message.refusal !== null || message.tool_calls !== undefined || message.function_call !== undefined
  const content = message.content ?? (saysMore ? null : "")
  const logprobs = state.logprobs.length === 0 ? null : logprobsOf(state.logprobs.toArray())
  return { index, message: { ...message, content }, logprobs, finish_reason: finish }
}

export const messageOf = ({ annotations, calls, images, message, reasoning }: State): AnswerMessage => ({
  ...message,
  ...(calls.length > 0 && { tool_calls: calls.toArray() }),
  ...(annotations.length > 0 && { annotations: annotations.toArray() }),
  ...(images.length > 0 && { images: images.toArray() }),
  ...(reasoning.length > 0 && { reasoning_details: reasoning.toArray() })
})

export const completionOf = (
  { created, id, model }: Head,
  choices: ReadonlyArray<Choice>,
  usage: Usage,
  serviceTier?: string
): ChatCompletion => ({
  id,
  object: "chat.completion",
  created,
  model,
  choices,
  ...(serviceTier !== undefined && { service_tier: serviceTier }),
  usage: usageOf(usage)
})
