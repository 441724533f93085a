import type { JsonObject } from "../../../contract/fields.ts"
import type { SearchOutcome } from "../../../generation/Conversation.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { isCut } from "../back.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { unquoted } from "../quoted.ts"
import { linkAt } from "../../link.ts"
import { hostedCallIn, isBilledSearch, withCall } from "./hostedCalls.ts"
import type { ResponsesState, Step } from "./state.ts"

export const openItem = (state: ResponsesState, at: number, item: JsonObject | undefined): Step => {
  const type = textAt(item, "type")
  const isCall = type === "function_call" || type === "custom_tool_call"
  const given = textAt(item, "call_id") ?? textAt(item, "id") ?? ""
  const callId = isCall ? state.calls.fresh(given, state.answerId) : undefined
  const entry = { callId, hasDeltas: false, isFunction: type === "function_call", arguments: "" }
  state.open.set(at, entry)
  const opened: ResponsesState = { ...state, hasItems: true }
  if (callId === undefined) return [opened, []]
  const name = state.back.callerName(textAt(item, "name") ?? "")
  const kind = type === "custom_tool_call" ? "custom" : "function"
  return [opened, [{ type: "tool-call-start", callId, name, kind }]]
}

export const closeItem = (before: ResponsesState, at: number, item: JsonObject | undefined): Step => {
  // For servers that only report finished items.
  const [state, startEvents] = before.open.has(at) ? [before, []] : openItem(before, at, item)
  const opened = state.open.get(at)
  const hasDeltas = opened?.hasDeltas === true
  state.open.delete(at)
  const after = state
  switch (textAt(item, "type")) {
    case "message":
      return [after, hasDeltas ? [] : [...startEvents, ...listAt(item, "content").flatMap(part)]]
    case "reasoning": {
      const text = hasDeltas ? "" : reasoningText(item)
      const signature = textAt(item, "encrypted_content") || undefined
      return [
        after,
        [...(text === "" ? [] : [{ type: "reasoning-delta", text } as const]), { type: "reasoning-end", signature }]
      ]
    }
    case "function_call": {
      const without = textAt(item, "status") === "incomplete" ? "" : "{}"
      const whole = unquoted(hasDeltas ? opened.arguments : textAt(item, "arguments") || without)
      const isTold = hasDeltas && opened.quoted !== true
      const events = [...startEvents, ...rest(opened?.callId ?? "", isTold ? "" : whole)]
      // A cut call ends with the generation.
      return isCut(whole) || whole === ""
        ? [{ ...after, isCut: true }, events]
        : [after, [...events, { type: "tool-call-end", callId: opened?.callId ?? "" }]]
    }
    case "custom_tool_call": {
      const callId = opened?.callId ?? ""
      const events = [...startEvents, ...rest(callId, hasDeltas ? "" : (textAt(item, "input") ?? ""))]
      return [after, [...events, { type: "tool-call-end", callId }]]
    }
    case "web_search_call":
      return searched(after, item)
    default:
      return [{ ...after, hosted: withCall(after.hosted, hostedCallIn(item)) }, []]
  }
}

export const citation = (annotation: unknown): ReadonlyArray<GenerationEvent> => {
  const url = linkAt(annotation, "url")
  if (textAt(annotation, "type") !== "url_citation" || url === undefined) return []
  const start = numberAt(annotation, "start_index") ?? 0
  const end = numberAt(annotation, "end_index") ?? start
  const title = textAt(annotation, "title") ?? ""
  return [{ type: "citation", citation: { url, title, citedText: "", start, end } }]
}

/** The log probabilities of a text, if it has any. */
export const logprobsIn = (part: unknown) => {
  const logprobs = listAt(part, "logprobs").filter(isObject)
  return logprobs.length === 0 ? {} : { logprobs }
}

const rest = (callId: string, text: string): ReadonlyArray<GenerationEvent> =>
  text === "" ? [] : [{ type: "tool-call-delta", callId, text }]

const part = (part: unknown): ReadonlyArray<GenerationEvent> => {
  const refusal = textAt(part, "refusal")
  if (refusal !== undefined) return [{ type: "refusal-delta", text: refusal }]
  const text = textAt(part, "text")
  if (text === undefined) return []
  return [
    { type: "text-start" },
    { type: "text-delta", text, ...logprobsIn(part) },
    ...listAt(part, "annotations").flatMap(citation),
    { type: "text-end" }
  ]
}

const reasoningText = (item: JsonObject | undefined): string => {
  const texts = (key: string) => listAt(item, key).flatMap((part) => textAt(part, "text") ?? [])
  const summary = texts("summary")
  return (summary.length > 0 ? summary : texts("content")).join("\n\n")
}

/** Emits a search once it is done, because its query and sources are known only then. */
const searched = (state: ResponsesState, item: JsonObject | undefined): Step => {
  const id = textAt(item, "id") ?? ""
  const action = objectAt(item, "action")
  const results = listAt(action, "sources").flatMap((source) => {
    const url = linkAt(source, "url")
    return url === undefined ? [] : [{ url, title: textAt(source, "title") ?? "", text: "", pageAge: null }]
  })
  const outcome: SearchOutcome =
    textAt(item, "status") === "failed" ? { type: "error", code: "unavailable" } : { type: "results", results }
  const query = textAt(action, "query") ?? textAt(action, "url") ?? ""
  return [
    { ...state, searches: state.searches + (isBilledSearch(item) ? 1 : 0) },
    [
      { type: "search-start", id, query },
      { type: "search-end", id, outcome }
    ]
  ]
}
