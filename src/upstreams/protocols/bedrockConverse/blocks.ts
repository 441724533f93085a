import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { linkAt } from "../../link.ts"
import { answerBounds } from "../../../contract/json/jsonBounds.ts"
import type { Citation } from "../../../generation/Conversation.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { GrowingList } from "../../../generation/GrowingList.ts"
import { endBare, endCall, writeCall } from "../callBlocks.ts"
import type { CallBlock } from "../callBlocks.ts"
import { beginThinking, endThinking, readThinking } from "../openaiChat/think.ts"
import type { Block, ConverseState, Step } from "./state.ts"

type TextBlock = Extract<Block, { type: "text" }>

/** A block starts. Only calls say so: any other begins with its first delta. */
export const startBlock = (state: ConverseState, start: JsonObject): Step => {
  const call = objectAt(start, "toolUse")
  if (call === undefined) return [state, []]
  const [before, ended] = closed(state)
  const upstreamName = textAt(call, "name") ?? ""
  if (upstreamName === state.back.answerTool) {
    // A further answer is left out.
    const isFirst = state.beside?.answers() !== false
    const block: CallBlock | undefined = isFirst ? { type: "call", id: undefined, custom: false, input: "" } : undefined
    return [{ ...before, written: 0, answeredByTool: true, block }, ended]
  }
  const name = state.back.callerName(upstreamName)
  const custom = state.back.isCustom(name)
  const id = state.calls.fresh(textAt(call, "toolUseId") ?? "", "")
  return [
    { ...before, written: 0, answeredByTool: false, block: { type: "call", id, custom, input: "" } },
    [
      ...ended,
      ...(state.beside?.given() ?? []),
      { type: "tool-call-start", callId: id, name, kind: custom ? "custom" : "function" }
    ]
  ]
}

export const stepBlock = (state: ConverseState, delta: JsonObject): Step => {
  const text = textAt(delta, "text")
  if (text !== undefined) return writeText(state, text)
  const reasoning = objectAt(delta, "reasoningContent")
  if (reasoning !== undefined) return reason(state, reasoning)
  const input = textAt(objectAt(delta, "toolUse"), "input")
  if (input !== undefined) return writeInput(state, input)
  const citation = objectAt(delta, "citation")
  return citation === undefined ? [state, []] : [cite(state, citation), []]
}

export const endBlock = (state: ConverseState): Step => {
  const { block } = state
  const after: ConverseState = { ...state, block: undefined }
  switch (block?.type) {
    case "text": {
      const [read, events] =
        block.thinking === undefined ? ([after, []] as const) : writeRead(after, endThinking(block.thinking, true))
      return [read, [...events, ...told(state, citations(block, read.written))]]
    }
    case "reasoning":
      return [after, [{ type: "reasoning-end", signature: block.signature === "" ? undefined : block.signature }]]
    case "call": {
      const { bare, events, isCut } = endCall(block)
      return [{ ...after, bare, isCut: isCut || state.isCut }, events]
    }
    default:
      return [after, []]
  }
}

/** The state before another block, and what ends the last one. */
const closed = (state: ConverseState): Step => {
  const [after, events] = state.block === undefined ? [state, []] : endBlock(state)
  return after.bare === undefined
    ? [after, events]
    : [{ ...after, bare: undefined }, [...events, ...endBare(after.bare)]]
}

const writeText = (state: ConverseState, text: string): Step => {
  if (text === "") return [state, []]
  const [before, ended]: Step = state.block?.type === "text" ? [state, []] : closed(state)
  const block = before.block?.type === "text" ? before.block : newText(before)
  if (block.thinking === undefined) {
    const events = told(state, [{ type: "text-delta", text }])
    return [{ ...before, block, written: before.written + text.length }, [...ended, ...events]]
  }
  const read: Array<GenerationEvent> = []
  const thinking = readThinking(block.thinking, text, read)
  const [after, events] = writeRead({ ...before, block: { ...block, thinking } }, read)
  return [after, [...ended, ...events]]
}

const newText = ({ back, written }: ConverseState): TextBlock => ({
  type: "text",
  start: written,
  citations: GrowingList.of([]),
  thinking: beginThinking(back.thinkTag !== undefined, back.thinkTag)
})

/** Texts and reasoning that were told apart: each new reasoning is followed by another text. */
const writeRead = (state: ConverseState, read: ReadonlyArray<GenerationEvent>): Step => {
  let { written } = state
  const events = read.flatMap((event): ReadonlyArray<GenerationEvent> => {
    written = event.type === "text-delta" ? written + event.text.length : 0
    return event.type === "text-delta" ? told(state, [event]) : [event]
  })
  const block = state.block?.type === "text" && written === 0 ? { ...state.block, start: 0 } : state.block
  return [{ ...state, block, written }, events]
}

/** The events of a text, which waits if a tool may give the answer instead. */
const told = ({ beside }: ConverseState, events: ReadonlyArray<GenerationEvent>): ReadonlyArray<GenerationEvent> =>
  beside === undefined ? events : beside.text(events)

/** Reasoning comes as text, then its signature; redacted reasoning comes alone. */
const reason = (state: ConverseState, delta: JsonObject): Step => {
  const redacted = textAt(delta, "redactedContent")
  if (redacted !== undefined) {
    const [before, ended] = closed(state)
    return [{ ...before, written: 0 }, [...ended, { type: "redacted-reasoning", data: redacted }]]
  }
  const isOpen = state.block?.type === "reasoning"
  const [before, ended]: Step = isOpen ? [state, []] : closed(state)
  const signature =
    (state.block?.type === "reasoning" ? state.block.signature : "") + (textAt(delta, "signature") ?? "")
  const text = textAt(delta, "text") ?? ""
  return [
    { ...before, written: 0, block: { type: "reasoning", signature } },
    [
      ...ended,
      ...(isOpen ? [] : [{ type: "reasoning-start" } as const]),
      ...(text === "" ? [] : [{ type: "reasoning-delta", text } as const])
    ]
  ]
}

const writeInput = (state: ConverseState, text: string): Step => {
  if (text === "" || state.block?.type !== "call") return [state, []]
  const [block, events] = writeCall(state.block, text)
  return [{ ...state, block }, events]
}

/** A citation of a web page. Those of documents have no address, so the other dialects cannot express them. */
const cite = (state: ConverseState, cited: JsonObject): ConverseState => {
  const url = linkAt(objectAt(objectAt(cited, "location"), "web"), "url")
  const { block } = state
  // One citation over the limit is kept, so that the answer fails when the block ends.
  if (url === undefined || block?.type !== "text" || block.citations.length > answerBounds.items) return state
  const words = listAt(cited, "sourceContent").filter(isObject)
  const citedText = words.map((part) => textAt(part, "text") ?? "").join("")
  const citation = { url, title: textAt(cited, "title") ?? "", citedText: citedText.slice(0, 150) }
  return { ...state, block: { ...block, citations: block.citations.with(citation) } }
}

const citations = (block: TextBlock, end: number): ReadonlyArray<GenerationEvent> =>
  block.citations.toArray().map((cited): GenerationEvent => {
    const citation: Citation = { ...cited, start: block.start, end }
    return { type: "citation", citation }
  })
