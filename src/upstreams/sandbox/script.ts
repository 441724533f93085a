import type { Citation, Conversation, SearchOutcome, SearchTool } from "../../generation/Conversation.ts"
import type { FinishReason } from "../../generation/GenerationEvent.ts"
import { countText, firstTokens } from "../../generation/tokenizer.ts"
import { exactly } from "./filler.ts"
import type { Question } from "./Question.ts"
import { textOf } from "./Question.ts"
import { quote } from "./quote.ts"
import { sample } from "./sample.ts"
import { reportOn, searchesFor } from "./search.ts"
import { chooseTools } from "./chooseTools.ts"
import type { ClientTool } from "./chooseTools.ts"

/** What the sandbox will do, before limits: its items in order, and how it would end. */
export interface Script {
  readonly items: ReadonlyArray<ScriptItem>
  readonly reason: FinishReason
}

export type ScriptItem =
  | { readonly type: "reasoning"; readonly text: string; readonly isReadable: boolean; readonly signature: string }
  | { readonly type: "text"; readonly text: string; readonly citations: ReadonlyArray<Citation> }
  | { readonly type: "refusal"; readonly text: string }
  | {
      readonly type: "tool-call"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
      readonly arguments: string
    }
  | { readonly type: "search"; readonly id: string; readonly query: string; readonly outcome: SearchOutcome }

/** @param described the question's attachments in words */
export const writeScript = (
  conversation: Conversation,
  question: Question,
  described: ReadonlyArray<string>
): Script => {
  const items: Array<ScriptItem> = reasons(conversation) ? [reasoningOn(conversation, question)] : []
  const { directive } = question
  if (directive.finish === "refusal") {
    items.push({ type: "refusal", text: "I can't help with that: the directive asked the sandbox to refuse." })
    return { items, reason: "refusal" }
  }
  const { calls, search } = chooseTools(conversation, question)
  if (calls.length > 0) {
    items.push(...calls.map((tool, index) => callOf(tool, question, index)))
    return { items, reason: directive.finish ?? "tool-calls" }
  }
  const reason = directive.finish ?? "stop"
  const report = search === undefined ? undefined : searchAndReport(search, question)
  if (report !== undefined) items.push(...report.items)
  if (directive.tokens !== undefined) {
    items.push({ type: "text", text: exactly(directive.tokens), citations: [] })
  } else if (conversation.format.type !== "text") {
    items.push({ type: "text", text: structured(conversation, question, described), citations: [] })
  } else {
    items.push(report?.answer ?? { type: "text", text: answerTo(question, described), citations: [] })
  }
  return { items, reason }
}

const longestEcho = 4_000
const longestAside = 80
const longestResult = 1_000

/** Says what was sent: the user's text, what came before it, the instructions, the attachments, the tools' results. */
const answerTo = (question: Question, described: ReadonlyArray<string>): string => {
  const { results, text, before, system } = question
  let answer = ""
  for (const { result, call } of results) {
    const name = call === undefined ? "The tool" : `The tool ${call.name}`
    const said = quote(textOf(result.content), longestResult)
    answer += `${answer === "" ? "" : " "}${name} ${result.isError ? "failed" : "answered"}: ${said}.`
  }
  if (results.length === 0) {
    answer = text === "" ? "You sent no text." : `You said: ${quote(text, longestEcho)}.`
    if (before !== undefined) answer += ` Before that you said: ${quote(before, longestAside)}.`
    if (system !== "") answer += ` My instructions: ${quote(system, longestAside)}.`
  }
  for (const attachment of described) answer += ` You sent ${attachment}.`
  return answer
}

const structured = (conversation: Conversation, question: Question, described: ReadonlyArray<string>): string => {
  const { format } = conversation
  if (format.type === "json-schema") return JSON.stringify(sample(format.schema, question.text))
  return JSON.stringify({ answer: answerTo(question, described) })
}

const callOf = (tool: ClientTool, question: Question, index: number): ScriptItem => ({
  type: "tool-call",
  callId: `call_${question.id("call", index)}`,
  name: tool.name,
  kind: tool.type,
  arguments: tool.type === "custom" ? question.text : JSON.stringify(argumentsFor(tool.parameters, question.text))
})

/** A function's arguments are an object, whatever its schema leaves open. */
const argumentsFor = (parameters: Readonly<Record<string, unknown>>, text: string): unknown => {
  const value = sample({ type: "object", ...parameters }, text)
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
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

/** Within its budget, and within half of the answer's limit, so that an answer follows. */
const reasoningOn = (conversation: Conversation, question: Question): ScriptItem => {
  const { reasoning, items, tools, maxOutputTokens } = conversation
  const thoughts = [
    `The user asks: ${quote(question.text, longestAside)}.`,
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
