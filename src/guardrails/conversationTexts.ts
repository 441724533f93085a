import type { Conversation, Item, Part, ToolCallItem, ToolResultItem } from "../generation/Conversation.ts"
import { plainText } from "../upstreams/protocols/documents.ts"
import type { GuardedText } from "./askHook.ts"

/** Gets each text with its place, and gives what stands there instead. */
type Visit = (text: string, at: string) => string

export type ToolCallAndResult = readonly [ToolCallItem, ToolResultItem]

/** The texts of a request that guardrails look at, in order. */
export const textsOf = (conversation: Conversation) => collected((visit) => visited(conversation, visit))

/** The conversation with other texts, as many as `textsOf` found. */
export const withTexts = (conversation: Conversation, texts: ReadonlyArray<string>): Conversation =>
  visited(conversation, oneByOne(texts))

/** The texts of a tool's call and result, in order. */
export const textsOfCall = (call: ToolCallAndResult) => collected((visit) => visitedCall(call, visit))

/** The call and result with other texts, as many as `textsOfCall` found. */
export const callWithTexts = (call: ToolCallAndResult, texts: ReadonlyArray<string>): ToolCallAndResult =>
  visitedCall(call, oneByOne(texts))

const collected = (walk: (visit: Visit) => unknown): ReadonlyArray<GuardedText> => {
  const texts: Array<GuardedText> = []
  walk((text, at) => {
    if (text !== "") texts.push({ at, text })
    return text
  })
  return texts
}

const oneByOne = (texts: ReadonlyArray<string>): Visit => {
  let next = 0
  return (text) => (text === "" ? text : (texts[next++] ?? text))
}

const visited = (conversation: Conversation, visit: Visit): Conversation => {
  const marks = new Map(conversation.systemMarks)
  const system = conversation.system.map((text) => {
    const now = visit(text, "system")
    const mark = marks.get(text)
    if (mark !== undefined) marks.set(now, mark)
    return now
  })
  const items = conversation.items.map((item) => visitedItem(item, visit))
  return { ...conversation, system, items, ...(marks.size > 0 && { systemMarks: marks }) }
}

const visitedItem = (item: Item, visit: Visit): Item => {
  switch (item.type) {
    case "message":
      return { ...item, content: item.content.map((part) => visitedPart(part, item.role, visit)) }
    case "reasoning": {
      const text = visit(item.text, "reasoning")
      // Its maker refuses other words under its signature: reasoning without an origin is not sent.
      return text === item.text ? item : { type: "reasoning", text, signature: undefined, redacted: undefined }
    }
    case "tool-call":
      return visitedArguments(item, visit)
    case "tool-result":
      return visitedResult(item, visit)
    case "search": {
      const query = visit(item.query, "search")
      const { outcome } = item
      if (outcome?.type !== "results") return { ...item, query }
      const results = outcome.results.map((result) => {
        const title = visit(result.title, "search_result")
        const text = visit(result.text, "search_result")
        if (title === result.title && text === result.text) return result
        return { url: result.url, title, text, pageAge: result.pageAge }
      })
      return { ...item, query, outcome: { type: "results", results } }
    }
  }
}

const visitedCall = ([call, result]: ToolCallAndResult, visit: Visit): ToolCallAndResult => [
  visitedArguments(call, visit),
  visitedResult(result, visit)
]

const visitedArguments = (item: ToolCallItem, visit: Visit): ToolCallItem => ({
  ...item,
  arguments: visit(item.arguments, "tool_call")
})

const visitedResult = (item: ToolResultItem, visit: Visit): ToolResultItem => ({
  ...item,
  content: item.content.map((part) => visitedPart(part, "tool_result", visit))
})

const visitedPart = (part: Part, at: string, visit: Visit): Part => {
  switch (part.type) {
    case "text": {
      const text = visit(part.text, at)
      if (text === part.text) return part
      // Citations are places in the former words.
      const { citations: _, ...rest } = part
      return { ...rest, text }
    }
    case "refusal":
      return { ...part, text: visit(part.text, at) }
    case "document": {
      const text = plainText(part.source)
      const now = text === undefined ? text : visit(text, "document")
      if (now === undefined || now === text) return part
      return { ...part, source: { type: "text", mediaType: "text/plain", text: now } }
    }
    case "image":
      return part
  }
}
