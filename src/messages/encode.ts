import type { Machine } from "../generation/Machine.ts"
import type { Citation as Cited } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { FinishReason } from "../generation/GenerationEvent.ts"
import { argumentsObject, isObject, parseJson } from "../contract/json/json.ts"
import { appendText } from "../generation/appendText.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import { leftOutFile } from "../generation/leftOutFile.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import * as Sequence from "../generation/sequence.ts"
import { addBlock } from "./draft.ts"
import type { Draft, Options, State } from "./draft.ts"
import { errorBody } from "./Errors.ts"
import type { StreamFrame } from "./frames.ts"
import { endCall, openCall, showListing, writtenCall } from "./mcp/mcpBlocks.ts"
import type { AnswerBlock, Citation } from "./Message.ts"
import { sealIndex, sealThinking } from "./opaque.ts"
import { searchResult } from "./searchResult.ts"
import { stopReasons } from "./stopReasons.ts"
import { usage, usageOf } from "./usage.ts"

/** Turns generation events into frames (docs/api.md#message-streams). The final state has the whole message. */
export const machine = (options: Options): Machine<State, StreamFrame> => {
  const [whole, cutOff] = [
    { ...options, isCutOff: false },
    { ...options, isCutOff: true }
  ]
  return {
    initial: {
      sequence: Sequence.initial,
      message: {
        id: options.id,
        type: "message",
        role: "assistant",
        model: options.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: usage(noUsage)
      },
      open: undefined,
      isPinged: false,
      isRefused: false,
      blocks: GrowingList.empty(),
      cut: GrowingList.empty()
    },
    step: (state, event) => {
      const [sequence, events] = Sequence.step(state.sequence, event)
      const draft: Draft = { ...state, sequence }
      if (events.length === 0) return [draft, noFrames]
      const frames: Array<StreamFrame> = []
      // Only these reasons cut the model off in the middle of an item.
      const framing = event.type === "finished" && leavesHalves.has(event.reason) ? cutOff : whole
      for (const sequenced of events) apply(draft, sequenced, frames, framing)
      return [draft, frames]
    }
  }
}

const leavesHalves: ReadonlySet<FinishReason> = new Set(["max-tokens", "context-exceeded"])

const noFrames: ReadonlyArray<StreamFrame> = []

interface Framing extends Options {
  readonly isCutOff: boolean
}

/** Applies one event: adds its frames and updates the draft. */
const apply = (draft: Draft, event: Sequence.SequencedEvent, frames: Array<StreamFrame>, options: Framing): void => {
  switch (event.type) {
    case "started": {
      // The dialect starts with one output token, and reports searches at the end.
      draft.message = { ...draft.message, usage: usageOf(event.usage, 1, 0) }
      frames.push({ type: "message_start", message: draft.message })
      return
    }
    case "open":
      open(draft, event.item, frames)
      // The dialect's answers have no images.
      if (event.item.type === "image") {
        delta(draft, leftOutFile(event.item.mediaType, event.item.data), frames, options)
      }
      return
    case "delta":
      return delta(draft, event.text, frames, options)
    case "citation":
      return cite(draft, event.citation, frames)
    case "written":
      return writtenCall(draft, frames)
    case "close":
      return close(draft, event, frames, options)
    case "finished": {
      const stop_reason = draft.isRefused && event.reason === "stop" ? "refusal" : stopReasons[event.reason]
      const { stopSequence: stop_sequence } = event
      const cut = new Set(draft.cut.toArray())
      const content = draft.blocks.toArray().filter((_, index) => !cut.has(index))
      draft.message = { ...draft.message, content, stop_reason, stop_sequence, usage: usage(event.usage) }
      const { cache_creation: _, ...totals } = draft.message.usage
      frames.push(
        { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: totals },
        { type: "message_stop" }
      )
      return
    }
    case "failed":
      frames.push({ ...errorBody(event.failure), request_id: options.requestId })
      draft.open = undefined
      draft.message = { ...draft.message, content: draft.blocks.toArray(), usage: usage(event.usage) }
  }
}

const open = (draft: Draft, item: OpenItem, frames: Array<StreamFrame>): void => {
  const index = draft.blocks.length
  switch (item.type) {
    case "text":
    case "refusal":
    case "image":
      frames.push({ type: "content_block_start", index, content_block: { type: "text", text: "" } })
      if (!draft.isPinged) frames.push({ type: "ping" })
      draft.open = { type: "text", text: "", citations: GrowingList.empty() }
      draft.isPinged = true
      draft.isRefused ||= item.type === "refusal"
      return
    case "reasoning":
      frames.push({
        type: "content_block_start",
        index,
        content_block: { type: "thinking", thinking: "", signature: "" }
      })
      draft.open = { type: "thinking", text: "" }
      return
    case "redacted-reasoning":
      frames.push({ type: "content_block_start", index, content_block: { type: "redacted_thinking", data: item.data } })
      draft.open = { type: "redacted-thinking", data: item.data }
      return
    case "tool-call": {
      const { callId: id, name } = item
      frames.push({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } })
      draft.open = { type: item.kind === "custom" ? "free-text-tool-use" : "tool-use", id, name, input: "" }
      return
    }
    case "search":
      return openSearch(draft, item, frames)
    case "server-tools":
      return showListing(draft, item, frames)
    case "server-call":
      return openCall(draft, item, frames)
  }
}

/**
 * A search's query is known when it begins, so its block is complete at once. The results follow in a block of their
 * own.
 */
const openSearch = (
  draft: Draft,
  item: Extract<OpenItem, { readonly type: "search" }>,
  frames: Array<StreamFrame>
): void => {
  const index = draft.blocks.length
  const id = item.id.startsWith("srvtoolu_") ? item.id : `srvtoolu_${item.id}`
  const started = { type: "server_tool_use", id, name: "web_search", input: {} } as const
  const input = { query: item.query }
  frames.push(
    { type: "content_block_start", index, content_block: started },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) }
    },
    { type: "content_block_stop", index }
  )
  addBlock(draft, { ...started, input })
  draft.open = { type: "search", id }
}

const delta = (draft: Draft, text: string, frames: Array<StreamFrame>, options: Options): void => {
  const { open } = draft
  const index = draft.blocks.length
  switch (open?.type) {
    case "text":
      frames.push({ type: "content_block_delta", index, delta: { type: "text_delta", text } })
      draft.open = { type: "text", text: appendText(open.text, text), citations: open.citations }
      return
    case "thinking":
      if (!options.hideThinking) {
        frames.push({ type: "content_block_delta", index, delta: { type: "thinking_delta", thinking: text } })
      }
      draft.open = { type: "thinking", text: appendText(open.text, text) }
      return
    case "mcp":
    case "tool-use":
      frames.push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } })
      draft.open = { ...open, input: appendText(open.input, text) }
      return
    case "free-text-tool-use":
      draft.open = { ...open, input: appendText(open.input, text) }
  }
}

const cite = (draft: Draft, cited: Cited, frames: Array<StreamFrame>): void => {
  const { open } = draft
  if (open?.type !== "text") return
  const citation: Citation = {
    type: "web_search_result_location",
    url: cited.url,
    title: cited.title,
    encrypted_index: sealIndex(cited),
    cited_text: cited.citedText.slice(0, 150)
  }
  const index = draft.blocks.length
  frames.push({ type: "content_block_delta", index, delta: { type: "citations_delta", citation } })
  draft.open = { ...open, citations: open.citations.with(citation) }
}

const close = (
  draft: Draft,
  closing: Extract<Sequence.SequencedEvent, { readonly type: "close" }>,
  frames: Array<StreamFrame>,
  options: Framing
): void => {
  const { open } = draft
  const index = draft.blocks.length
  const stop = (block: AnswerBlock): void => {
    frames.push({ type: "content_block_stop", index })
    addBlock(draft, block)
  }
  switch (open?.type) {
    case undefined:
      return
    case "text":
      return stop(
        open.citations.length === 0
          ? { type: "text", text: open.text }
          : { type: "text", text: open.text, citations: open.citations.toArray() }
      )
    case "thinking": {
      const signature = closing.signature ?? sealThinking(options.hideThinking ? open.text : "")
      frames.push({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } })
      return stop({ type: "thinking", thinking: options.hideThinking ? "" : open.text, signature })
    }
    case "redacted-thinking":
      return stop({ type: "redacted_thinking", data: open.data })
    case "tool-use":
      if (closing.isCut && options.isCutOff && !isObject(parseJson(open.input))) draft.cut = draft.cut.with(index)
      return stop({ type: "tool_use", id: open.id, name: open.name, input: { ...argumentsObject(open.input) } })
    case "free-text-tool-use": {
      const input = { input: open.input }
      const partial_json = JSON.stringify(input)
      frames.push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } })
      return stop({ type: "tool_use", id: open.id, name: open.name, input })
    }
    case "mcp":
      return endCall(draft, open, closing.result, frames)
    case "search": {
      const block = searchResult(open.id, closing.outcome ?? { type: "error", code: "unavailable" })
      frames.push({ type: "content_block_start", index, content_block: block })
      return stop(block)
    }
  }
}
