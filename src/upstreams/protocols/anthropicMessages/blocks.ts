import type { JsonObject } from "../../../contract/fields.ts"
import type { Citation, SearchErrorCode, SearchOutcome } from "../../../generation/Conversation.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { answerBounds } from "../../../contract/json/jsonBounds.ts"
import { GrowingList } from "../../../generation/GrowingList.ts"
import { appendText } from "../../../generation/appendText.ts"
import { endBare, endCall, writeCall } from "../callBlocks.ts"
import { argumentsObject, isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { linkAt } from "../../link.ts"
import type { MessagesState, Step } from "./state.ts"

/** Starts a block: empty in a stream, complete in a whole answer. */
export const startBlock = (state: MessagesState, content: JsonObject): Step => {
  if (state.bare === undefined) return openBlock(state, content)
  const [next, events] = openBlock({ ...state, bare: undefined }, content)
  return [next, [...endBare(state.bare), ...events]]
}

const openBlock = (state: MessagesState, content: JsonObject): Step => {
  const type = textAt(content, "type")
  const id = textAt(content, "id") ?? ""
  switch (type) {
    case "text": {
      const opened: MessagesState = {
        ...state,
        block: {
          type: "text",
          start: state.written,
          citations: GrowingList.of(listAt(content, "citations").filter(isObject))
        }
      }
      return writeText(opened, textAt(content, "text") ?? "")
    }
    case "thinking": {
      const thinking = textAt(content, "thinking") ?? ""
      return [
        { ...state, written: 0, block: { type: "thinking", signature: textAt(content, "signature") ?? "" } },
        [
          { type: "reasoning-start" },
          ...(thinking === "" ? [] : [{ type: "reasoning-delta", text: thinking } as const])
        ]
      ]
    }
    case "redacted_thinking":
      return [other(state), [{ type: "redacted-reasoning", data: textAt(content, "data") ?? "" }]]
    case "tool_use":
      return startCall(state, id, textAt(content, "name") ?? "", wholeInput(content))
    case "server_tool_use":
      return textAt(content, "name") === "web_search"
        ? [{ ...state, written: 0, block: { type: "search", id, input: wholeInput(content) } }, []]
        : [other(state), []]
    case "web_search_tool_result":
      return [
        other(state),
        [{ type: "search-end", id: textAt(content, "tool_use_id") ?? "", outcome: searchOutcome(content) }]
      ]
    default:
      return [other(state), []]
  }
}

export const stepBlock = (state: MessagesState, delta: JsonObject): Step => {
  const { block } = state
  switch (delta["type"]) {
    case "text_delta":
      return writeText(state, textAt(delta, "text") ?? "")
    case "thinking_delta":
      return [state, [{ type: "reasoning-delta", text: textAt(delta, "thinking") ?? "" }]]
    case "signature_delta":
      return block?.type === "thinking"
        ? [{ ...state, block: { ...block, signature: block.signature + (textAt(delta, "signature") ?? "") } }, []]
        : [state, []]
    case "citations_delta": {
      const citation = objectAt(delta, "citation")
      // One citation over the limit is kept, so that the answer fails when the block ends.
      return block?.type === "text" && citation !== undefined && block.citations.length <= answerBounds.items
        ? [{ ...state, block: { ...block, citations: block.citations.with(citation) } }, []]
        : [state, []]
    }
    case "input_json_delta":
      return writeInput(state, textAt(delta, "partial_json") ?? "")
    default:
      return [state, []]
  }
}

export const endBlock = (state: MessagesState): Step => {
  const { block } = state
  const after: MessagesState = { ...state, block: undefined }
  switch (block?.type) {
    case "text":
      return [
        after,
        told(
          state,
          block.citations.toArray().flatMap((cited) => citation(cited, block.start, state.written))
        )
      ]
    case "thinking":
      return [after, [{ type: "reasoning-end", signature: block.signature === "" ? undefined : block.signature }]]
    case "call": {
      const { bare, events, isCut } = endCall(block)
      return [{ ...after, bare, isCut: isCut || state.isCut }, events]
    }
    case "search":
      return [
        after,
        [{ type: "search-start", id: block.id, query: textAt(argumentsObject(block.input), "query") ?? "" }]
      ]
    default:
      return [after, []]
  }
}

const other = (state: MessagesState): MessagesState => ({ ...state, written: 0, block: { type: "other" } })

const writeText = (state: MessagesState, text: string): Step =>
  text === ""
    ? [state, []]
    : [{ ...state, written: state.written + text.length }, told(state, [{ type: "text-delta", text }])]

/** The events of a text, which waits if a tool may give the answer instead. */
const told = ({ beside }: MessagesState, events: ReadonlyArray<GenerationEvent>): ReadonlyArray<GenerationEvent> =>
  beside === undefined ? events : beside.text(events)

const startCall = (state: MessagesState, given: string, upstreamName: string, input: string): Step => {
  const isAnswer = upstreamName === state.back.answerTool
  // A further answer is left out.
  if (isAnswer && state.beside?.answers() === false) return [other(state), []]
  const name = state.back.callerName(upstreamName)
  const custom = state.back.isCustom(name)
  const id = isAnswer ? undefined : state.calls.fresh(given, state.answerId)
  const opened: MessagesState = {
    ...state,
    written: 0,
    answeredByTool: isAnswer,
    block: { type: "call", id, custom, input: "" }
  }
  const kind = custom ? "custom" : "function"
  const start: ReadonlyArray<GenerationEvent> =
    id === undefined ? [] : [...(state.beside?.given() ?? []), { type: "tool-call-start", callId: id, name, kind }]
  if (input === "") return [opened, start]
  const [next, events] = writeInput(opened, input)
  return [next, [...start, ...events]]
}

/** A complete input as JSON text; some servers send it as a string. Empty in a stream, where deltas follow. */
const wholeInput = (content: JsonObject): string => {
  const text = textAt(content, "input")
  if (text !== undefined) return text
  const input = objectAt(content, "input")
  return input === undefined || Object.keys(input).length === 0 ? "" : JSON.stringify(input)
}

const writeInput = (state: MessagesState, text: string): Step => {
  const { block } = state
  if (text === "") return [state, []]
  switch (block?.type) {
    case "search":
      return [{ ...state, block: { ...block, input: appendText(block.input, text) } }, []]
    case "call": {
      const [next, events] = writeCall(block, text)
      return [{ ...state, block: next }, events]
    }
    default:
      return [state, []]
  }
}

/** Page content is encrypted for this upstream alone. */
const searchOutcome = (content: JsonObject): SearchOutcome => {
  const failed = objectAt(content, "content")
  if (failed !== undefined) return { type: "error", code: errorCode(textAt(failed, "error_code")) }
  return {
    type: "results",
    results: listAt(content, "content").flatMap((result) => {
      const url = linkAt(result, "url")
      if (url === undefined) return []
      const title = textAt(result, "title") ?? ""
      const sealed = textAt(result, "encrypted_content") ?? ""
      const pageAge = textAt(result, "page_age") ?? null
      return [{ url, title, text: "", ...(sealed === "" ? {} : { sealed }), pageAge }]
    })
  }
}

const errorCodes: ReadonlyArray<SearchErrorCode> = [
  "invalid_tool_input",
  "unavailable",
  "max_uses_exceeded",
  "too_many_requests",
  "query_too_long",
  "request_too_large"
]

const errorCode = (code: string | undefined): SearchErrorCode =>
  errorCodes.find((known) => known === code) ?? "unavailable"

/** Citations of documents have no URL, so the other dialect cannot express them. */
const citation = (cited: JsonObject, start: number, end: number): ReadonlyArray<GenerationEvent> => {
  const url = linkAt(cited, "url")
  if (url === undefined) return []
  const source: Citation = {
    url,
    title: textAt(cited, "title") ?? "",
    citedText: (textAt(cited, "cited_text") ?? "").slice(0, 150),
    start,
    end
  }
  return [{ type: "citation", citation: source }]
}
