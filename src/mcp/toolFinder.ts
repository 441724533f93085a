import { Effect } from "effect"
import { parseJson, textAt } from "../contract/json/json.ts"
import type { FunctionTool } from "../generation/Conversation.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import type { ServerCall, ServerCallEnd, ServerTool } from "../tools/ServerTool.ts"

/** The search for tools that the model does not see yet. */
interface ToolFinder {
  readonly tool: ServerTool
  /** As the model sees the search. */
  readonly function: FunctionTool
}

/** The most tools that a search finds, words that it looks for, and searches of a request. */
const most = { found: 8, words: 20, searches: 16 }
const longestQuery = 1_000

/**
 * Finds tools by words of their names and descriptions. Those found are offered from the next round on. The client does
 * not see the search.
 *
 * @param hidden the tools to find, in the servers' order
 * @param taken the names of all other tools
 */
export const toolFinder = (hidden: ReadonlyArray<FunctionTool>, taken: ReadonlySet<string>): ToolFinder => {
  const name = freeName("tool_search", taken)
  const run = (call: ServerCall): ServerCallEnd => {
    const found = matching(hidden, (textAt(parseJson(call.arguments), "query") ?? "").slice(0, longestQuery))
    const lines = found.map((one) => (one.description === undefined ? one.name : `${one.name}: ${one.description}`))
    return ended(
      call,
      lines.length === 0 ? "No tools found." : ["These can be called now:", ...lines].join("\n- "),
      found
    )
  }
  return {
    tool: {
      names: new Set([name]),
      mostCalls: most.searches,
      mostUsage: () => noUsage,
      isFree: true,
      begins: () => [],
      run: (call) => Effect.sync(() => run(call)),
      mayRepeat: () => true,
      refuse: (call) => Effect.sync(() => ended(call, "No more searches for tools are allowed.", []))
    },
    function: {
      type: "function",
      name,
      description: `Searches ${hidden.length} more tools by words of their names and descriptions. Those found can be called afterwards.`,
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
      strict: undefined
    }
  }
}

const freeName = (name: string, taken: ReadonlySet<string>): string =>
  taken.has(name) ? freeName(`${name}_`, taken) : name

/** The tools that match most words, a word of the name counting twice. */
const matching = (tools: ReadonlyArray<FunctionTool>, query: string): ReadonlyArray<FunctionTool> => {
  const words = [...new Set(wordsOf(query))].slice(0, most.words)
  const matches = (text: string) => {
    const all = wordsOf(text)
    return words.filter((word) => all.some((one) => areAlike(one, word))).length
  }
  return tools
    .map((tool) => ({ tool, score: 2 * matches(tool.name) + matches(tool.description ?? "") }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most.found)
    .map(({ tool }) => tool)
}

/** True for forms of a word, such as a singular and its plural. */
const areAlike = (one: string, other: string): boolean =>
  one === other || (Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one)))

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const ended = (call: ServerCall, text: string, found: ReadonlyArray<FunctionTool>): ServerCallEnd => ({
  events: [],
  usage: noUsage,
  found,
  items: () => [
    { type: "tool-call", callId: call.id, name: call.name, arguments: call.arguments || "{}", kind: "function" },
    { type: "tool-result", callId: call.id, content: [{ type: "text", text }], isError: false }
  ]
})
