import type { Citation, Conversation, SearchOutcome, SearchTool } from "../generation/Conversation.ts"
import type { FinishReason } from "../generation/GenerationEvent.ts"
import { countText, firstTokens } from "../tokens/tokenizer.ts"
import { exactly } from "./filler.ts"
import type { GenerateOptions } from "../upstreams/Upstream.ts"
import type { Question } from "./Question.ts"
import { textOf } from "../generation/textOf.ts"
import { inQuotes } from "./excerpts.ts"
import { sample } from "./sample/sample.ts"
import { reportOn, searchesFor } from "./search.ts"
import { chooseTools } from "./chooseTools.ts"
import type { ClientTool } from "./chooseTools.ts"

/** The sandbox's answer before limits: its items in order, and its end. */
export interface Script {
  readonly items: ReadonlyArray<ScriptItem>
  readonly reason: FinishReason
}

export type ScriptItem =
  | { readonly type: "reasoning"; readonly text: string; readonly isReadable: boolean; readonly signature: string }
  | {
      readonly type: "text"
      readonly text: string
      readonly citations: ReadonlyArray<Citation>
      /** True if the rest exceeds the token limit. */
      readonly isCut?: boolean
    }
  | { readonly type: "refusal"; readonly text: string }
  | {
      readonly type: "tool-call"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
      readonly arguments: string
      /** True if the rest exceeds the token limit. */
      readonly isCut?: boolean
    }
  | { readonly type: "search"; readonly id: string; readonly query: string; readonly outcome: SearchOutcome }

/**
 * @param described descriptions of the question's attachments
 * @param family the caller's dialect
 */
export const writeScript = (
  conversation: Conversation,
  question: Question,
  described: ReadonlyArray<string>,
  family: GenerateOptions["family"]
): Script => {
  const items: Array<ScriptItem> = reasons(conversation) ? [reasoningOn(conversation, question)] : []
  const { directive } = question
  if (directive.finish === "refusal") {
    items.push({ type: "refusal", text: "I can't help with that: the directive asked the sandbox to refuse." })
    return { items, reason: "refusal" }
  }
  const { calls, search } = chooseTools(conversation, question)
  if (calls.length > 0) {
    for (const [index, tool] of calls.entries()) {
      const call = callOf(tool, conversation, question, idOfCall(question, index, family))
      items.push(call)
      // Later items would not fit.
      if (call.isCut === true) break
    }
    return { items, reason: directive.finish ?? "tool-calls" }
  }
  const reason = directive.finish ?? "stop"
  const report = search === undefined ? undefined : searchAndReport(search, question)
  if (report !== undefined) items.push(...report.items)
  if (directive.tokens !== undefined) {
    items.push({ type: "text", text: exactly(directive.tokens), citations: [] })
  } else if (conversation.format.type !== "text") {
    items.push(structured(conversation, question, described))
  } else {
    items.push(report?.answer ?? { type: "text", text: answerTo(question, described), citations: [] })
  }
  return { items, reason }
}

const longestEcho = 4_000
const longestAside = 80
const longestResult = 1_000

/** Repeats the request: the user's text, the text before it, the instructions, the attachments, the tool results. */
const answerTo = (question: Question, described: ReadonlyArray<string>): string => {
  const { results, text, before, system } = question
  let answer = ""
  for (const { result, call } of results) {
    const name = call === undefined ? "The tool" : `The tool ${call.name}`
    const quoted = inQuotes(textOf(result.content), longestResult)
    answer += `${answer === "" ? "" : " "}${name} ${result.isError ? "failed" : "answered"}: ${quoted}.`
  }
  if (results.length === 0) {
    answer = text === "" ? "You sent no text." : `You said: ${inQuotes(text, longestEcho)}.`
    if (before !== undefined) answer += ` Before that you said: ${inQuotes(before, longestAside)}.`
    if (system !== "") answer += ` My instructions: ${inQuotes(system, longestAside)}.`
  }
  for (const attachment of described) answer += ` You sent ${attachment}.`
  return answer
}

type TextItem = ScriptItem & { readonly type: "text" }
type CallItem = ScriptItem & { readonly type: "tool-call" }

/** The token limit of a schema's value if the caller sets none. */
const usualMost = 32_000

const structured = (conversation: Conversation, question: Question, described: ReadonlyArray<string>): TextItem => {
  const { format, maxOutputTokens = usualMost } = conversation
  if (format.type !== "json-schema") {
    return { type: "text", text: JSON.stringify({ answer: answerTo(question, described) }), citations: [] }
  }
  const { isWhole, value } = sample(format.schema, question.text, maxOutputTokens)
  return { type: "text", text: JSON.stringify(value), citations: [], isCut: !isWhole }
}

/** In the form of each dialect's provider. */
const idOfCall = (question: Question, index: number, family: GenerateOptions["family"]): string =>
  `${family === "messages" ? "toolu" : "call"}_${question.id("call", index)}`

const callOf = (tool: ClientTool, conversation: Conversation, question: Question, callId: string): CallItem => {
  const call = {
    type: "tool-call",
    callId,
    name: tool.name,
    kind: tool.type
  } as const
  if (tool.type === "custom") return { ...call, arguments: question.text }
  const schema = { type: "object", ...tool.parameters }
  const { isWhole, value } = sample(schema, question.text, conversation.maxOutputTokens ?? usualMost)
  // Arguments of a function are always an object, even if the schema allows more.
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return { ...call, arguments: isObject ? JSON.stringify(value) : "{}", isCut: !isWhole }
}

const searchAndReport = (tool: SearchTool, question: Question) => {
  const searches = searchesFor(question.text, tool)
  return {
    items: searches.map((search, index): ScriptItem => ({
      type: "search",
      id: `search_${question.id("search", index)}`,
      ...search
    })),
    answer: { type: "text", ...reportOn(searches, tool) } satisfies ScriptItem
  }
}

const reasons = ({ reasoning }: Conversation): boolean =>
  reasoning.enabled ?? (reasoning.effort !== undefined && reasoning.effort !== "none")

const depth = { none: 0, minimal: 1, low: 2, medium: 3, high: 4, xhigh: 5, max: 5 }

/** Limited by its budget and by half of the answer's limit, so that an answer follows. */
const reasoningOn = (conversation: Conversation, question: Question): ScriptItem => {
  const { reasoning, items, tools, maxOutputTokens } = conversation
  const thoughts = [
    `The user asks: ${inQuotes(question.text, longestAside)}.`,
    ` I look at what I was sent (items: ${items.length}, attachments: ${question.attachments.length}, tools: ${tools.length}).`,
    question.results.length > 0 ? " The tools have answered, so I report that." : " No tool's result waits for me.",
    " I am the sandbox, so I answer with what I was told and nothing that I would have to make up.",
    " I check it once more, and then I answer."
  ]
  const text = thoughts.slice(0, depth[reasoning.effort ?? "medium"]).join("")
  const limit = Math.min(
    reasoning.budgetTokens ?? Infinity,
    maxOutputTokens === undefined ? Infinity : Math.max(1, Math.floor(maxOutputTokens / 2))
  )
  return {
    type: "reasoning",
    text: countText(text) <= limit ? text : firstTokens(text, limit),
    isReadable: reasoning.summary !== undefined,
    signature: btoa(`sandbox:${question.id("reasoning", 0)}`)
  }
}
